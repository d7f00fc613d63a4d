# SPDX-License-Identifier: MIT
# The language level and the warnings of all our code: link kfdscope_compiler into every target.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# One place for all results, so that the command finds its libraries in the build tree too.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

add_library(kfdscope_compiler INTERFACE)
target_compile_definitions(kfdscope_compiler INTERFACE _GNU_SOURCE)
target_compile_options(kfdscope_compiler INTERFACE
	-Wall -Wextra -Wshadow -Wvla
	$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wswitch>
	$<$<BOOL:${KFDSCOPE_WERROR}>:-Werror>)
# Applies to test programs and product alike: a sanitizer must be in every object.
if(KFDSCOPE_SANITIZE)
	add_compile_options(-fsanitize=${KFDSCOPE_SANITIZE} -fno-omit-frame-pointer)
	add_link_options(-fsanitize=${KFDSCOPE_SANITIZE})
endif()
