// SPDX-License-Identifier: Apache-2.0

extension AccessoryMirror {
    /// How many attempts an account has.
    private static let accountLength = 5

    /// Why it is not connected, for people.
    var account: String {
        let change = change
        let attempts = attempts.suffix(Self.accountLength)
        var lines = ["\(name ?? description.kind): \(change.state). \(change.reason)"]
        if change.state == .connecting, let slots { lines.append("Last: \(slots).") }
        lines += attempts.map { "- \($0)" }
        return lines.joined(separator: "\n")
    }
}
