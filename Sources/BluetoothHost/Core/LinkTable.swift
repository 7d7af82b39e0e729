// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The links there are, by their handles, in the order in which they came.
///
/// Every packet asks for its link several times. A controller holds a few links only, so looking
/// through their handles is quicker than hashing one; and a link is changed where it is, while a
/// dictionary would copy it out and back.
struct LinkTable: Sendable {
    /// The handles of all links, oldest first.
    private(set) var handles: [ConnectionHandle] = []
    /// The link of each handle, at the same place. Never nil but while it is being removed.
    private var states: [LinkState?] = []

    var isEmpty: Bool { handles.isEmpty }

    /// All links, oldest first.
    var values: [LinkState] { states.compactMap { $0 } }

    /// The first deadline of any link.
    var nextDeadline: Instant? {
        states.indices.reduce(nil) { earliest($0, states[$1]?.nextDeadline) }
    }

    /// The same. A link that may be changed is asked where it is; otherwise it is copied first.
    mutating func findNextDeadline() -> Instant? {
        var soonest: Instant?
        for index in states.indices {
            soonest = earliest(soonest, states[index]?.findNextDeadline() ?? nil)
        }
        return soonest
    }

    /// The link with this handle; setting it adds the link, or, to nil, removes it.
    subscript(handle: ConnectionHandle) -> LinkState? {
        // Not `_read`: of a large value that such an accessor lends, Swift 6.3 reads a part after it was
        // taken back, and freed (swiftlang/swift, issue 89836).
        get {
            guard let index = handles.firstIndex(of: handle) else { return nil }
            return states[index]
        }
        _modify {
            guard let index = handles.firstIndex(of: handle) else {
                var added: LinkState?
                defer { append(added, handle) }
                yield &added
                return
            }
            defer { if case nil = states[index] { remove(at: index) } }
            yield &states[index]
        }
    }

    private mutating func append(_ link: LinkState?, _ handle: ConnectionHandle) {
        guard let link else { return }
        handles.append(handle)
        states.append(link)
    }

    private mutating func remove(at index: Int) {
        handles.remove(at: index)
        states.remove(at: index)
    }

    /// Removes and returns the link with this handle; nil if there is none.
    mutating func remove(_ handle: ConnectionHandle) -> LinkState? {
        guard let index = handles.firstIndex(of: handle) else { return nil }
        defer { remove(at: index) }
        return states[index]
    }
}
