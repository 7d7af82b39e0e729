// SPDX-License-Identifier: Apache-2.0

import HCITransports

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Opens the store in a directory that somebody has just left.
///
/// A process that is being started has everything for a moment that its parent had open, the lock of
/// a store too: whoever comes too early waits for the lock, and tries again.
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

/// Returns when nobody has the lock.
private func waitForLock(of directory: String) {
    let lock = open("\(directory)/.lock", O_RDWR | O_CLOEXEC)
    guard lock >= 0 else { return }
    _ = flock(lock, LOCK_EX)
    _ = close(lock)
}
