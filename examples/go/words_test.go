package words

import (
	"fmt"
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	counts := Count("to be or not to be")
	if counts["to"] != 2 || counts["be"] != 2 || counts["or"] != 1 || len(counts) != 4 {
		t.Fatal(counts)
	}
}

func BenchmarkCount(b *testing.B) {
	for _, n := range []int{8, 1000} {
		text := strings.Repeat("to be or not ", n/4)
		b.Run(fmt.Sprintf("words=%d", n), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				Count(text)
			}
		})
	}
}
