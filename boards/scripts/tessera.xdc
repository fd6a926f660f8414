# SPDX-License-Identifier: Apache-2.0
#
# Constraints of every board, each with its reason. There are no pins: the design touches only the
# processing system. Its IP constrains the clock, and resets leave proc_sys_reset in that clock.

# Whole frames: the stream's size is a constant of the part, so that one that was cut off in a copy
# is seen by its size alone.
set_property BITSTREAM.GENERAL.COMPRESS FALSE [current_design]
