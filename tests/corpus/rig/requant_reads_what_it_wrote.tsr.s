; Within one REQUANT, tile n is the result that tile n + 1 starts from: reads may not run ahead of writes.
.profile tessera
.config tiny
.segment uops 504
  uop dst=2 src=2
  uop dst=3 src=1 wgt=5
  uop dst=7 wgt=7 init=1
  uop dst=6 src=3 wgt=4 init=1
  uop dst=2 src=3 wgt=3
  uop dst=4 src=4 wgt=4
  uop dst=4 src=6 wgt=4 init=1
  uop dst=3 src=2 wgt=5
  uop dst=4 src=4 wgt=6 init=1
  uop dst=7 src=6 wgt=2
  uop src=3 wgt=3
  uop dst=3 src=4 wgt=7
  uop dst=4 src=4 wgt=1
  uop dst=2 src=3 wgt=4
  uop dst=5 src=2
  uop dst=1 wgt=5 init=1
  uop dst=2 src=5 wgt=5 init=1
  uop dst=4 src=6 wgt=2
  uop dst=1 src=2
  uop dst=3 src=6 wgt=2
  uop dst=2 src=7 wgt=3
  uop dst=4 wgt=5 init=1
  uop dst=7 src=6 wgt=2
  uop dst=6 wgt=3
  uop dst=7 src=5 wgt=4
  uop dst=4 src=7 wgt=2 init=1
  uop dst=6 wgt=3 init=1
  uop dst=2 src=2 wgt=5 init=1
  uop src=5 wgt=7
  uop dst=2 src=1 wgt=2 init=1
  uop dst=5 src=2 wgt=1
  uop dst=210 src=2 wgt=197
  uop dst=209 src=2 wgt=197
  uop dst=210 wgt=200
  uop dst=207 src=7 wgt=197
  uop dst=212 src=3 wgt=201
  uop dst=209 src=5 wgt=201
  uop dst=208 src=6 wgt=197
  uop dst=213 src=1 wgt=195 init=1
  uop dst=212 src=3 wgt=197
  uop dst=208 src=3 wgt=194 init=1
  uop dst=206 src=1 wgt=199 init=1
  uop dst=211 wgt=194 init=1
  uop dst=210 src=4 wgt=195
  uop dst=213 src=6 wgt=196
  uop dst=210 src=7 wgt=199
  uop dst=211 src=2 wgt=197 init=1
  uop dst=206 src=2 wgt=196
  uop dst=213 wgt=194
  uop dst=210 src=2 wgt=199
  uop dst=213 src=1 wgt=198
  uop dst=208 src=5 wgt=195
  uop dst=207 src=5 wgt=195
  uop dst=209 src=1 wgt=197
  uop dst=212 src=5 wgt=196 init=1
  uop dst=208 src=7 wgt=201
  uop dst=207 src=7 wgt=199
  uop dst=212 wgt=194
  uop dst=211 src=5 wgt=194
  uop dst=208 src=3 wgt=201
  uop dst=208 src=3 wgt=201
  uop dst=210 src=4 wgt=197
  uop dst=213 wgt=199
.code
  load memory=out x_bytes=1 sram_base=238 x_size=2 y_size=1 z_size=1  ; 0
  load push=vector memory=wgt x_bytes=1  ; 1
  sync pop=load unit=vector  ; 2
  requant src_mem=out dst_mem=out per_tensor=1 dst_base=240 src_base=239 iter_out=1 iter_in=3 dst_in=1 src_in=1  ; 3
  finish  ; 4
