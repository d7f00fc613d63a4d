// SPDX-License-Identifier: MIT
// Readable C++ names, from the C++ run-time library itself. The only C++ in the analysis.
#include <cxxabi.h>

extern "C" char *sym_demangle(const char *name);

extern "C" char *sym_demangle(const char *name)
{
	int status = 0;

	if (!name || name[0] != '_' || name[1] != 'Z')
		return nullptr;
	return abi::__cxa_demangle(name, nullptr, nullptr, &status);
}
