#include "harness/core/host.h"
