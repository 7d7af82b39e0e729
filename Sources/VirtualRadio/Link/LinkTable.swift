// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The links of a world: those that are asked for, and those that are.
package struct LinkTable: Sendable {
    private var links: [LinkID: Link] = [:]
    private var nextNumber: UInt64 = 1
    /// Which link and which end of it a controller calls by which handle.
    private var handles: [RadioID: [ConnectionHandle: (link: LinkID, side: LinkSide)]] = [:]

    /// The link; nil if it has ended.
    package subscript(id: LinkID) -> Link? {
        _read { yield links[id] }
        _modify { yield &links[id] }
    }
}
