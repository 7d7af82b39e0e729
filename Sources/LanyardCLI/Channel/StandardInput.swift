// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Standard input, read piece by piece and only when somebody asks: who writes there is held up as
/// long as the channel is.
final class StandardInput: Sendable {
    private let descriptor: Int32
    /// Reading waits for as long as it takes, so it has a thread of its own. A read that nobody
    /// waits for any more ends with the process.
    private let queue = DispatchQueue(label: "lanyard.input")

    init(descriptor: Int32 = STDIN_FILENO) {
        self.descriptor = descriptor
    }

    /// What there is, at most `count` octets; nil at the end.
    func read(upTo count: Int) async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { waiter in
            queue.async { [descriptor] in
                waiter.resume(with: Result { try Self.read(descriptor, count) })
            }
        }
    }

    private static func read(_ descriptor: Int32, _ count: Int) throws -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: count)
        while true {
            let length = Foundation.read(descriptor, &octets, count)
            if length < 0, errno == EINTR { continue }
            guard length >= 0 else {
                throw ProgramFailure(
                    .inputOutput,
                    "the input cannot be read: \(String(cString: strerror(errno)))"
                )
            }
            return length == 0 ? nil : Array(octets[..<length])
        }
    }
}
