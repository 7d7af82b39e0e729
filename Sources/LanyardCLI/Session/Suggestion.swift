// SPDX-License-Identifier: Apache-2.0

/// The word that a person probably meant.
enum Suggestion {
    /// The maximum number of characters of a word that are compared.
    private static let lengthLimit = 64

    /// Returns the most similar of the words without regard to case; `nil` if none is similar.
    ///
    /// A word is similar if few characters differ: at most one in a text of up to 5 characters, two
    /// in a text of up to 8, and three in a longer text. If there is no such word and the text has
    /// at least two characters, the text may be the beginning of a word. The only word that begins
    /// with the text is then similar, or else the only word of which a part between spaces begins
    /// with the text.
    static func nearest(to text: String, among words: some Sequence<String>) -> String? {
        let text = comparable(text)
        guard !text.isEmpty else { return nil }
        let words = Array(words)
        let limit = min(3, max(1, text.count / 3))
        let distances = words.map { (word: $0, count: distance(text, comparable($0))) }
        if let best = distances.min(by: { $0.count < $1.count }), best.count <= limit {
            return best.word
        }
        guard text.count > 1 else { return nil }
        let longer = words.filter { comparable($0).starts(with: text) }
        if longer.count == 1 { return longer.first }
        let parts = words.filter { word in
            comparable(word).split(separator: " ").contains { $0.starts(with: text) }
        }
        return parts.count == 1 ? parts.first : nil
    }

    private static func comparable(_ word: String) -> [Character] {
        Array(word.lowercased().prefix(lengthLimit))
    }

    /// Returns the number of characters to insert, delete, replace, or exchange with their neighbor
    /// to turn one word into the other (the restricted Damerau–Levenshtein distance).
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for (row, character) in one.enumerated() {
            var current = [row + 1]
            for (column, otherCharacter) in other.enumerated() {
                let replaced = last[column] + (character == otherCharacter ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, character == other[column - 1],
                    one[row - 1] == otherCharacter
                {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}

extension ProgramFailure {
    /// Returns the advice that asks whether the nearest of the words was meant; `otherwise` if none
    /// is similar.
    static func didYouMean(
        _ text: String,
        among words: some Sequence<String>,
        otherwise: String
    ) -> String {
        Suggestion.nearest(to: text, among: words).map { "did you mean '\($0)'?" } ?? otherwise
    }
}
