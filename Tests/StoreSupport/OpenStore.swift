// SPDX-License-Identifier: Apache-2.0

import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Opens a store that another process has just closed.
///
/// A process that is starting has all files of its parent open for a moment, including the lock of
/// a store. If the lock is held, this function waits until it is free and tries again, 1,000 times
/// at most.
package func openLeftStore(_ directory: String) throws(TransportError) -> FileStore {
    for _ in 0..<1_000 {
        do throws(TransportError) {
            return try FileStore(directory: directory)
        } catch {
            guard error == .addressInUse(directory) else { throw error }
            waitForLock(of: directory)
        }
    }
    throw .addressInUse(directory)
}

/// Returns when the lock is free.
private func waitForLock(of directory: String) {
    let lock = open("\(directory)/.lock", O_RDWR | O_CLOEXEC)
    guard lock >= 0 else { return }
    _ = flock(lock, LOCK_EX)
    _ = close(lock)
}
