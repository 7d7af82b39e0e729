// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATTClient {
    /// Ends the operations that use handles of a database that has changed, with the error Database
    /// Out Of Sync. The operation whose request is outstanding continues.
    ///
    /// The server refuses the outstanding request itself, as long as it does not know that this
    /// client knows of the change. The requests of the other operations would reach the server
    /// after it knows, because confirmations are sent ahead of requests. The server would then
    /// execute them on the attributes that now have these handles.
    package mutating func failOutOfSync(on bearer: inout ATTBearer) -> [Action] {
        let named =
            running.compactMap { id, entry in entry.handle.map { (id, $0) } }
            + waiting.compactMap { entry in entry.handle.map { (entry.id, $0) } }
        let waiting = named.filter { !bearer.isOutstanding($0.0) }.sorted { $0.0 < $1.0 }
        return waiting.flatMap { id, handle in
            stop(id, .attribute(.databaseOutOfSync, handle: handle), on: &bearer)
        }
    }
}
