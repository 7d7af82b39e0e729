// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file for what a process writes, without a name: it goes with the last who has it open, however
/// that one ends.
struct NamelessFile: ~Copyable, Sendable {
    /// Not inherited; whoever writes to a copy of it writes at the end.
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

    /// All that was written until now.
    var text: String {
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, off_t(octets.count))
            guard count > 0 else { return String(decoding: octets, as: UTF8.self) }
            octets += chunk[..<count]
        }
    }
}
