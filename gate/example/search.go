// Package search is an example of a project that uses the gate. docs/gate.md says how.
package search

// Nearest returns the index of the first row with the largest dot product with the query. It writes
// the dot products to scores, which must have as many elements as there are rows.
func Nearest(rows [][]float32, query, scores []float32) int {
	Score(rows, query, scores)
	best := 0
	for i, s := range scores {
		if s > scores[best] {
			best = i
		}
	}
	return best
}

// Score writes the dot product of each row with the query to scores.
func Score(rows [][]float32, query, scores []float32) {
	for i, row := range rows {
		sum := float32(0)
		for j, v := range row {
			sum += float32(v * query[j])
		}
		scores[i] = sum
	}
}

// Words counts the words of a text, separated by spaces, by their first byte.
func Words(text string) map[byte]int {
	count, inside := map[byte]int{}, false
	for i := range len(text) {
		space := text[i] == ' '
		if !space && !inside {
			count[text[i]]++
		}
		inside = !space
	}
	return count
}
