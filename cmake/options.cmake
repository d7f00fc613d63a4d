# SPDX-License-Identifier: MIT
# Every build option, with a sentence each.
option(KFDSCOPE_TRACING "Compile the tracepoint call sites into libhsakmt" ON)
option(KFDSCOPE_WERROR "Treat compiler warnings as errors" OFF)
set(KFDSCOPE_SANITIZE "" CACHE STRING "Comma list for -fsanitize= (address,undefined or thread)")
set(KFDSCOPE_HSAKMT_1_ERA "5.2.3" CACHE STRING
	"Structure layouts that the symbol version HSAKMT_1 means: 5.2.3 or newest")
set_property(CACHE KFDSCOPE_HSAKMT_1_ERA PROPERTY STRINGS 5.2.3 newest)
if(NOT CMAKE_BUILD_TYPE)
	set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
