# SPDX-License-Identifier: Apache-2.0
#
# The flow of Vivado for one board: the machine packaged as an IP, a block design around it,
# implementation, reports, bitstream. build.sh runs it. Not run by us: there was no such tool; tests
# compare the commands that it gives with tests/boards/*.golden.
#
#   vivado -mode batch -source boards/scripts/build.tcl     from the root of the repository, with
#     TESSERA_BOARD_DIR   folder with board.tcl (tessera boards NAME --print tcl) and rtl/; what is
#                         made is left there
#     TESSERA_BOARD_JOBS  runs at a time (2)

set scripts [pwd]/boards/scripts
if {![file exists $scripts/common.tcl]} { error "board: [pwd] is not the root of the repository" }
source $scripts/common.tcl
read_board
check_tool
source $scripts/package.tcl
source $scripts/design.tcl
source $scripts/implement.tcl
exit
