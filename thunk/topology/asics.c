/* SPDX-License-Identifier: MIT */
/*
 * The GPUs that are recognised by their PCI device id. Newer ones, from gfx11 on, come with their
 * version in gfx_target_version and are not listed.
 */
#include "topology/asics.h"

/* clang-format off */
enum asic_id {
	ASIC_SPECTRE,
	ASIC_SPOOKY,
	ASIC_HAWAII,
	ASIC_CARRIZO,
	ASIC_TONGA,
	ASIC_FIJI,
	ASIC_POLARIS10,
	ASIC_POLARIS11,
	ASIC_POLARIS12,
	ASIC_VEGAM,
	ASIC_VEGA10,
	ASIC_RAVEN,
	ASIC_VEGA12,
	ASIC_VEGA20,
	ASIC_ARCTURUS,
	ASIC_ALDEBARAN,
	ASIC_RENOIR,
	ASIC_NAVI10,
	ASIC_NAVI12,
	ASIC_NAVI14,
	ASIC_CYAN_SKILLFISH,
	ASIC_SIENNA_CICHLID,
	ASIC_NAVY_FLOUNDER,
	ASIC_DIMGREY_CAVEFISH,
	ASIC_VANGOGH,
	ASIC_BEIGE_GOBY,
	ASIC_YELLOW_CARP,
	ASIC_COUNT
};

static const struct asic asics[] = {
	[ASIC_SPECTRE]          = { "Spectre",            7, 0,  0 },
	[ASIC_SPOOKY]           = { "Spooky",             7, 0,  0 },
	[ASIC_HAWAII]           = { "Hawaii",             7, 0,  1 },
	[ASIC_CARRIZO]          = { "Carrizo",            8, 0,  1 },
	[ASIC_TONGA]            = { "Tonga",              8, 0,  2 },
	[ASIC_FIJI]             = { "Fiji",               8, 0,  3 },
	[ASIC_POLARIS10]        = { "Polaris10",          8, 0,  3 },
	[ASIC_POLARIS11]        = { "Polaris11",          8, 0,  3 },
	[ASIC_POLARIS12]        = { "Polaris12",          8, 0,  3 },
	[ASIC_VEGAM]            = { "VegaM",              8, 0,  3 },
	[ASIC_VEGA10]           = { "Vega10",             9, 0,  0 },
	[ASIC_RAVEN]            = { "Raven",              9, 0,  2 },
	[ASIC_VEGA12]           = { "Vega12",             9, 0,  4 },
	[ASIC_VEGA20]           = { "Vega20",             9, 0,  6 },
	[ASIC_ARCTURUS]         = { "Arcturus",           9, 0,  8 },
	[ASIC_ALDEBARAN]        = { "Aldebaran",          9, 0, 10 },
	[ASIC_RENOIR]           = { "Renoir",             9, 0, 12 },
	[ASIC_NAVI10]           = { "Navi10",            10, 1,  0 },
	[ASIC_NAVI12]           = { "Navi12",            10, 1,  1 },
	[ASIC_NAVI14]           = { "Navi14",            10, 1,  2 },
	[ASIC_CYAN_SKILLFISH]   = { "cyan_skillfish",    10, 1,  3 },
	[ASIC_SIENNA_CICHLID]   = { "SIENNA_CICHLID",    10, 3,  0 },
	[ASIC_NAVY_FLOUNDER]    = { "NAVY_FLOUNDER",     10, 3,  1 },
	[ASIC_DIMGREY_CAVEFISH] = { "DIMGREY_CAVEFISH",  10, 3,  2 },
	[ASIC_VANGOGH]          = { "VanGogh",           10, 3,  3 },
	[ASIC_BEIGE_GOBY]       = { "BEIGE_GOBY",        10, 3,  4 },
	[ASIC_YELLOW_CARP]      = { "YELLOW_CARP",       10, 3,  5 },
};
_Static_assert(sizeof(asics) / sizeof(*asics) == ASIC_COUNT, "a line for each GPU");

/* Sorted by id, for the binary search. */
static const struct {
	uint16_t first, last;
	uint8_t asic; /* enum asic_id */
} ranges[] = {
	{ 0x1304, 0x1307, ASIC_SPECTRE },
	{ 0x1309, 0x1311, ASIC_SPECTRE },
	{ 0x1312, 0x1312, ASIC_SPOOKY },
	{ 0x1313, 0x1313, ASIC_SPECTRE },
	{ 0x1315, 0x1315, ASIC_SPECTRE },
	{ 0x1316, 0x1316, ASIC_SPOOKY },
	{ 0x1317, 0x1317, ASIC_SPOOKY },
	{ 0x1318, 0x1318, ASIC_SPECTRE },
	{ 0x131b, 0x131d, ASIC_SPECTRE },
	{ 0x13f9, 0x13fc, ASIC_CYAN_SKILLFISH },
	{ 0x13fe, 0x13fe, ASIC_CYAN_SKILLFISH },
	{ 0x143f, 0x143f, ASIC_CYAN_SKILLFISH },
	{ 0x15d8, 0x15d8, ASIC_RAVEN },
	{ 0x15dd, 0x15dd, ASIC_RAVEN },
	{ 0x15e7, 0x15e7, ASIC_RENOIR },
	{ 0x1636, 0x1636, ASIC_RENOIR },
	{ 0x1638, 0x1638, ASIC_RENOIR },
	{ 0x163f, 0x163f, ASIC_VANGOGH },
	{ 0x164c, 0x164c, ASIC_RENOIR },
	{ 0x164d, 0x164d, ASIC_YELLOW_CARP },
	{ 0x1681, 0x1681, ASIC_YELLOW_CARP },
	{ 0x66a0, 0x66a4, ASIC_VEGA20 },
	{ 0x66a7, 0x66a7, ASIC_VEGA20 },
	{ 0x66af, 0x66af, ASIC_VEGA20 },
	{ 0x67a0, 0x67a0, ASIC_HAWAII },
	{ 0x67a1, 0x67a1, ASIC_HAWAII },
	{ 0x67a2, 0x67a2, ASIC_HAWAII },
	{ 0x67a8, 0x67a8, ASIC_HAWAII },
	{ 0x67a9, 0x67a9, ASIC_HAWAII },
	{ 0x67aa, 0x67aa, ASIC_HAWAII },
	{ 0x67b0, 0x67b0, ASIC_HAWAII },
	{ 0x67b1, 0x67b1, ASIC_HAWAII },
	{ 0x67b8, 0x67b8, ASIC_HAWAII },
	{ 0x67b9, 0x67b9, ASIC_HAWAII },
	{ 0x67ba, 0x67ba, ASIC_HAWAII },
	{ 0x67be, 0x67be, ASIC_HAWAII },
	{ 0x67c0, 0x67c0, ASIC_POLARIS10 },
	{ 0x67c1, 0x67c1, ASIC_POLARIS10 },
	{ 0x67c2, 0x67c2, ASIC_POLARIS10 },
	{ 0x67c4, 0x67c4, ASIC_POLARIS10 },
	{ 0x67c7, 0x67ca, ASIC_POLARIS10 },
	{ 0x67cc, 0x67cc, ASIC_POLARIS10 },
	{ 0x67cf, 0x67cf, ASIC_POLARIS10 },
	{ 0x67d0, 0x67d0, ASIC_POLARIS10 },
	{ 0x67df, 0x67df, ASIC_POLARIS10 },
	{ 0x67e0, 0x67e0, ASIC_POLARIS11 },
	{ 0x67e1, 0x67e1, ASIC_POLARIS11 },
	{ 0x67e3, 0x67e3, ASIC_POLARIS11 },
	{ 0x67e7, 0x67e7, ASIC_POLARIS11 },
	{ 0x67e8, 0x67e8, ASIC_POLARIS11 },
	{ 0x67e9, 0x67e9, ASIC_POLARIS11 },
	{ 0x67eb, 0x67eb, ASIC_POLARIS11 },
	{ 0x67ef, 0x67ef, ASIC_POLARIS11 },
	{ 0x67ff, 0x67ff, ASIC_POLARIS11 },
	{ 0x6860, 0x6864, ASIC_VEGA10 },
	{ 0x6867, 0x686e, ASIC_VEGA10 },
	{ 0x687f, 0x687f, ASIC_VEGA10 },
	{ 0x6920, 0x6920, ASIC_TONGA },
	{ 0x6921, 0x6921, ASIC_TONGA },
	{ 0x6928, 0x6928, ASIC_TONGA },
	{ 0x6929, 0x6929, ASIC_TONGA },
	{ 0x692b, 0x692b, ASIC_TONGA },
	{ 0x692f, 0x692f, ASIC_TONGA },
	{ 0x6930, 0x6930, ASIC_TONGA },
	{ 0x6938, 0x6938, ASIC_TONGA },
	{ 0x6939, 0x6939, ASIC_TONGA },
	{ 0x694c, 0x694c, ASIC_VEGAM },
	{ 0x694e, 0x694e, ASIC_VEGAM },
	{ 0x694f, 0x694f, ASIC_VEGAM },
	{ 0x6980, 0x6980, ASIC_POLARIS12 },
	{ 0x6981, 0x6981, ASIC_POLARIS12 },
	{ 0x6985, 0x6985, ASIC_POLARIS12 },
	{ 0x6986, 0x6986, ASIC_POLARIS12 },
	{ 0x6987, 0x6987, ASIC_POLARIS12 },
	{ 0x6995, 0x6995, ASIC_POLARIS12 },
	{ 0x6997, 0x6997, ASIC_POLARIS12 },
	{ 0x699f, 0x699f, ASIC_POLARIS12 },
	{ 0x69a0, 0x69a3, ASIC_VEGA12 },
	{ 0x69af, 0x69af, ASIC_VEGA12 },
	{ 0x6fdf, 0x6fdf, ASIC_POLARIS10 },
	{ 0x7300, 0x7300, ASIC_FIJI },
	{ 0x730f, 0x730f, ASIC_FIJI },
	{ 0x7310, 0x7310, ASIC_NAVI10 },
	{ 0x7312, 0x7312, ASIC_NAVI10 },
	{ 0x7318, 0x7318, ASIC_NAVI10 },
	{ 0x731a, 0x731a, ASIC_NAVI10 },
	{ 0x731e, 0x731e, ASIC_NAVI10 },
	{ 0x731f, 0x731f, ASIC_NAVI10 },
	{ 0x7340, 0x7340, ASIC_NAVI14 },
	{ 0x7341, 0x7341, ASIC_NAVI14 },
	{ 0x7347, 0x7347, ASIC_NAVI14 },
	{ 0x7360, 0x7360, ASIC_NAVI12 },
	{ 0x7362, 0x7362, ASIC_NAVI12 },
	{ 0x7388, 0x7388, ASIC_ARCTURUS },
	{ 0x738c, 0x738c, ASIC_ARCTURUS },
	{ 0x738e, 0x738e, ASIC_ARCTURUS },
	{ 0x7390, 0x7390, ASIC_ARCTURUS },
	{ 0x73a0, 0x73a3, ASIC_SIENNA_CICHLID },
	{ 0x73a5, 0x73a5, ASIC_SIENNA_CICHLID },
	{ 0x73a8, 0x73a8, ASIC_SIENNA_CICHLID },
	{ 0x73a9, 0x73a9, ASIC_SIENNA_CICHLID },
	{ 0x73ab, 0x73ae, ASIC_SIENNA_CICHLID },
	{ 0x73bf, 0x73bf, ASIC_SIENNA_CICHLID },
	{ 0x73c0, 0x73c0, ASIC_NAVY_FLOUNDER },
	{ 0x73c1, 0x73c1, ASIC_NAVY_FLOUNDER },
	{ 0x73c3, 0x73c3, ASIC_NAVY_FLOUNDER },
	{ 0x73da, 0x73df, ASIC_NAVY_FLOUNDER },
	{ 0x73e0, 0x73e2, ASIC_DIMGREY_CAVEFISH },
	{ 0x73e8, 0x73ed, ASIC_DIMGREY_CAVEFISH },
	{ 0x73ef, 0x73ef, ASIC_DIMGREY_CAVEFISH },
	{ 0x73ff, 0x73ff, ASIC_DIMGREY_CAVEFISH },
	{ 0x7408, 0x7408, ASIC_ALDEBARAN },
	{ 0x740c, 0x740c, ASIC_ALDEBARAN },
	{ 0x740f, 0x740f, ASIC_ALDEBARAN },
	{ 0x7410, 0x7410, ASIC_ALDEBARAN },
	{ 0x7420, 0x7423, ASIC_BEIGE_GOBY },
	{ 0x743f, 0x743f, ASIC_BEIGE_GOBY },
	{ 0x9870, 0x9870, ASIC_CARRIZO },
	{ 0x9874, 0x9877, ASIC_CARRIZO },
};
/* clang-format on */

#define RANGE_COUNT (sizeof(ranges) / sizeof(*ranges))

const struct asic *asic_find(uint32_t device_id)
{
	size_t low = 0, high = RANGE_COUNT;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (device_id < ranges[middle].first)
			high = middle;
		else if (device_id > ranges[middle].last)
			low = middle + 1;
		else
			return &asics[ranges[middle].asic];
	}
	return NULL;
}

const struct asic *asic_range(size_t index, uint32_t *first, uint32_t *last)
{
	if (index >= RANGE_COUNT)
		return NULL;
	*first = ranges[index].first;
	*last = ranges[index].last;
	return &asics[ranges[index].asic];
}
