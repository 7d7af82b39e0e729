// SPDX-License-Identifier: Apache-2.0

/// A tree of lines, drawn with the lines that connect them.
struct TextTree: Equatable, Sendable {
    let label: String
    let children: [TextTree]

    init(_ label: String, _ children: [TextTree] = []) {
        self.label = label
        self.children = children
    }

    /// The tree, one node a line, without a line break at the end.
    var text: String {
        var lines = [label]
        appendChildren(to: &lines, indentation: "")
        return lines.joined(separator: "\n")
    }

    private func appendChildren(to lines: inout [String], indentation: String) {
        for (index, child) in children.enumerated() {
            let isLast = index == children.count - 1
            lines.append(indentation + (isLast ? "└─ " : "├─ ") + child.label)
            child.appendChildren(to: &lines, indentation: indentation + (isLast ? "   " : "│  "))
        }
    }
}
