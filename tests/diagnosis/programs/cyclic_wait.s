; VECTOR and STORE each wait for the other's token before they push their own.
.profile tessera
.config tiny
.code
sync unit=vector pop=store push=store
sync unit=store pop=vector push=vector
finish
