// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATTClient {
    /// The server's table is another one: operations that name attributes by the old one end with
    /// Database Out Of Sync, but for the one whose request is with the server.
    ///
    /// That one the server refuses, as long as it does not know that we know. What waits here would
    /// reach it when it does, for confirmations go ahead of requests; then it would be carried out,
    /// on whatever has the handle now.
    package mutating func failOutOfSync() -> [Action] {
        let named =
            running.compactMap { id, entry in entry.handle.map { (id, $0) } }
            + waiting.compactMap { entry in entry.handle.map { (entry.id, $0) } }
        return named.filter { !bearer.isOutstanding($0.0) }
            .sorted { $0.0 < $1.0 }
            .flatMap { stop($0.0, .attribute(.databaseOutOfSync, handle: $0.1)) }
    }
}
