// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The links of a host, in the order in which they began, and their deadlines.
///
/// A controller has only a few links, so a search through their handles is faster than a hash. A
/// link is changed in its place in the array, because it is large and a copy of it is expensive.
struct LinkTable: Sendable {
    /// The links, oldest first. `HostCore.withLink` passes inputs to them.
    var cores: [LinkCore] = []
    /// The handle, the identifier and the deadline of each link, at the same index.
    private var handles: [ConnectionHandle] = []
    private(set) var identifiers: [LinkIdentifier] = []
    private var deadlines: [Instant?] = []
    /// All deadlines, soonest last.
    private var schedule: [(deadline: Instant, link: LinkIdentifier)] = []
    /// The number of links on which this host is the peripheral.
    private(set) var peripheralCount = 0

    var isEmpty: Bool { cores.isEmpty }
    var count: Int { cores.count }

    var nextDeadline: Instant? { schedule.last?.deadline }

    func index(of handle: ConnectionHandle) -> Int? {
        handles.firstIndex(of: handle)
    }

    func index(of link: LinkIdentifier) -> Int? {
        identifiers.firstIndex(of: link)
    }

    mutating func append(_ link: LinkCore) {
        cores.append(link)
        handles.append(link.handle)
        identifiers.append(link.identifier)
        deadlines.append(nil)
        if link.role == .peripheral { peripheralCount += 1 }
        updateDeadline(at: cores.count - 1)
    }

    mutating func remove(_ handle: ConnectionHandle) -> LinkCore? {
        guard let index = index(of: handle) else { return nil }
        setDeadline(nil, at: index)
        handles.remove(at: index)
        identifiers.remove(at: index)
        deadlines.remove(at: index)
        let link = cores.remove(at: index)
        if link.role == .peripheral { peripheralCount -= 1 }
        return link
    }

    /// Returns the links whose deadline has passed, in the order of their deadlines.
    func due(now: Instant) -> [LinkIdentifier] {
        schedule.reversed().prefix { $0.deadline <= now }.map(\.link)
    }

    /// Updates the deadline of a link that was changed.
    mutating func updateDeadline(at index: Int) {
        setDeadline(cores[index].readNextDeadline(), at: index)
    }

    private mutating func setDeadline(_ deadline: Instant?, at index: Int) {
        let earlier = deadlines[index]
        guard deadline != earlier else { return }
        let link = identifiers[index]
        deadlines[index] = deadline
        if let earlier {
            // Links with the same deadline are adjacent.
            var place = position(of: earlier)
            while schedule[place].link != link { place += 1 }
            schedule.remove(at: place)
        }
        if let deadline { schedule.insert((deadline, link), at: position(of: deadline)) }
    }

    /// Returns the first index in the schedule whose deadline is not later than this one.
    private func position(of deadline: Instant) -> Int {
        var (low, high) = (0, schedule.count)
        while low < high {
            let middle = (low + high) / 2
            if schedule[middle].deadline > deadline { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
