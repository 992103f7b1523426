# Writes the linker response file OUT with the lines of LIST, in an order that depends on SEED and the
# objects' names only; an empty SEED keeps the order. Always writes, so that OUT is newer than its
# objects.
#   cmake -DSEED=<text> -DBASE=<build folder> -DLIST=<file> -DOUT=<file> -P permute_objects.cmake
file(STRINGS "${LIST}" objects)
if(NOT SEED STREQUAL "")
  set(keyed "")
  foreach(object IN LISTS objects)
    # Relative, so that one seed means one order wherever the build folder lies.
    file(RELATIVE_PATH name "${BASE}" "${object}")
    string(SHA256 key "${SEED}:${name}")
    list(APPEND keyed "${key} ${object}")
  endforeach()
  list(SORT keyed)
  list(TRANSFORM keyed REPLACE "^[0-9a-f]+ " "" OUTPUT_VARIABLE objects)
endif()
list(JOIN objects "\"\n\"" text)
file(WRITE "${OUT}" "\"${text}\"\n")
