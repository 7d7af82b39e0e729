// SPDX-License-Identifier: Apache-2.0

@testable import LanyardCLI

/// The lines that a terminal shows after an output, without scrolling.
struct TerminalScreen {
    private(set) var lines: [[Character]] = [[]]
    private var column = 0

    /// Returns the lines of an output, without spaces at their ends.
    static func lines(of output: String) -> [String] {
        var screen = TerminalScreen()
        screen.write(output)
        return screen.lines.map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return String(line)
        }
    }

    private mutating func write(_ output: String) {
        var rest = output.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\u{1B}": control(&rest)
            case "\r": column = 0
            case "\n":
                lines.append([])
                column = 0
            default: put(scalar)
            }
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        let character = Character(scalar)
        let last = lines.count - 1
        if TerminalColumns.count(String(character)) == 0, column > 0 {
            lines[last][column - 1] = Character(String(lines[last][column - 1]) + String(character))
            return
        }
        while lines[last].count < column { lines[last].append(" ") }
        if column < lines[last].count { lines[last].remove(at: column) }
        lines[last].insert(character, at: column)
        column += 1
    }

    /// Performs `CSI 2K` (erase the line) and `CSI nD` (move left). Other sequences have no effect.
    private mutating func control(_ rest: inout Substring.UnicodeScalarView) {
        guard rest.first == "[" else { return }
        rest.removeFirst()
        var parameter = ""
        while let scalar = rest.popFirst() {
            guard !("@"..."~").contains(scalar) else {
                switch scalar {
                case "K": lines[lines.count - 1] = []
                case "D": column = max(0, column - (Int(parameter) ?? 1))
                default: break
                }
                return
            }
            parameter.unicodeScalars.append(scalar)
        }
    }
}
