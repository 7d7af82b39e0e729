// SPDX-License-Identifier: Apache-2.0

@testable import LanyardCLI

/// Reads the body of a command of the live page.
func fuzzPageCommands(_ bytes: [UInt8]) {
    guard let command = try? LiveCommandBody(bytes) else { return }
    if case .words(let words, _) = command {
        require(words.count <= LiveRequests.wordLimit, "too many words")
    }
}
