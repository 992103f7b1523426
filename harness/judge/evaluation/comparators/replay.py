"""What a rule of others tells night by night, not knowing what comes, as our own is replayed."""

NEAR = 5  # a change within so many nights of one that was told is not told again (recordings.cpp)


def of_segments(hosts):
    """(begin, end) of the nights of each host: tools that find changes keep a series a machine."""
    begin = 0
    for end in range(1, len(hosts) + 1):
        if end == len(hosts) or hosts[end] != hosts[begin]:
            yield begin, end
            begin = end


def told(nightly, values, hosts, first_night):
    """[(place, night when that was first told)]. `nightly` yields (night, [places of changes]) of
    the values that it is given; nothing is told before the first night."""
    found = []
    for begin, end in of_segments(hosts):
        for night, places in nightly(values[begin:end]):
            if begin + night < first_night:
                continue
            for place in places:
                if all(abs(begin + place - known) > NEAR for known, _ in found):
                    found.append((begin + place, begin + night))
    return found
