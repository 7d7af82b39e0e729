// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file without a name for the output of a process. The system removes it when no process has it
/// open.
struct NamelessFile: ~Copyable, Sendable {
    /// The descriptor, which child processes do not inherit. A process appends to a copy of it.
    let descriptor: Int32

    init() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).log"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ProcessError.refused(call: "open \(path)", error: errno)
        }
        unlink(path)
    }

    deinit {
        close(descriptor)
    }

    /// The content so far.
    var text: String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
