// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import NIOCore

/// The end of the connection at the program that started this one: a status line and then packets on
/// standard output, and packets on standard input. The end of standard input ends the connection.
final class HostEnd: Sendable {
    /// The bytes of one read.
    private static let readLimit = 64 << 10

    private let output = DispatchQueue(label: "lanyard-gateway.output")

    /// Writes bytes, after those before. `written` is called when the program has read them, which
    /// may take long.
    func write(_ bytes: [UInt8], written: @escaping @Sendable () -> Void = {}) {
        output.async {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR { continue }
                // The program has ended, which its end of standard input shows as well.
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
            written()
        }
    }

    /// Writes the status line.
    func write(status: String) { write(Array("\(status)\n".utf8)) }

    /// Waits until everything is written, for a second at most.
    func flush() {
        let isDone = DispatchSemaphore(value: 0)
        output.async { isDone.signal() }
        _ = isDone.wait(timeout: .now() + 1)
    }

    /// Reads until the end. Calls `received` with an empty array there.
    func read(_ received: @escaping @Sendable ([UInt8]) -> Void) {
        let thread = Thread {
            var buffer = [UInt8](repeating: 0, count: Self.readLimit)
            while true {
                let count = buffer.withUnsafeMutableBytes {
                    Foundation.read(STDIN_FILENO, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR { continue }
                received(Array(buffer.prefix(max(count, 0))))
                guard count > 0 else { return }
            }
        }
        thread.start()
    }
}
