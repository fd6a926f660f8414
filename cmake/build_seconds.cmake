# Puts scripts/build_seconds.sh, which counts the CPU seconds of a build, in front of each job.
set(job "${CMAKE_CURRENT_LIST_DIR}/../scripts/build_seconds.sh --job $ENV{TESSERA_BUILD_SECONDS}")
set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE "${job} <OBJECT>")
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "${job} links")
set_property(GLOBAL PROPERTY RULE_LAUNCH_CUSTOM "${job} commands")
