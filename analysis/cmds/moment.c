/* SPDX-License-Identifier: MIT */
/* Texts to moments (moment.h). */
#include "moment.h"

/* 0 means no moment: "+0" is the first nanosecond after the begin. */
#define BEGIN_NS INT64_C(-1)

/* Some 290 years: what nanoseconds can say. */
#define SECONDS_MAX 9200000000u

/*
 * A double has not enough digits for today in nanoseconds.
 * @return false when text is no number, or too large a one.
 */
static bool parse_seconds(const char *text, int64_t *ns)
{
	char *end;
	guint64 seconds = g_ascii_strtoull(text, &end, 10);
	int64_t fraction = 0, unit = 100000000;

	if (!g_ascii_isdigit(*text) || (*end && *end != '.') || seconds >= SECONDS_MAX)
		return false;
	if (*end == '.')
		end++;
	for (; g_ascii_isdigit(*end); end++, unit /= 10)
		fraction += unit * (*end - '0');
	*ns = (int64_t)seconds * 1000000000 + fraction;
	return *end == '\0';
}

static bool parse_date(const char *text, int64_t *ns)
{
	GTimeZone *zone = g_time_zone_new_local();
	GDateTime *when = g_date_time_new_from_iso8601(text, zone);

	g_time_zone_unref(zone);
	if (!when)
		return false;
	*ns = g_date_time_to_unix(when) * 1000000000 +
	      (int64_t)g_date_time_get_microsecond(when) * 1000;
	g_date_time_unref(when);
	return *ns > 0;
}

static bool parse(const char *text, int64_t *ns)
{
	if (*text != '+')
		return parse_seconds(text, ns) ? *ns > 0 : parse_date(text, ns);
	if (!parse_seconds(text + 1, ns))
		return false;
	*ns = *ns ? -*ns : BEGIN_NS;
	return true;
}

bool moment_is_after(int64_t begin_ns, int64_t end_ns)
{
	if (!begin_ns || !end_ns || (begin_ns < 0) != (end_ns < 0))
		return false;
	return begin_ns < 0 ? begin_ns < end_ns : begin_ns > end_ns;
}

bool moment_parse(const struct cmd *cmd, const char *name, const char *text, int64_t *ns)
{
	if (parse(text, ns))
		return true;
	cmd_error(
		cmd,
		"%s is '%s': it must be +SECONDS since the recording's begin, seconds since 1970, "
		"or a time such as 2026-11-29T16:15:00.5",
		name, text);
	return false;
}
