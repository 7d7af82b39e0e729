// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The links of a world, those that are asked for and those that are; and what each radio knows of
/// its own.
///
/// Links are few and are looked up for every packet, so they lie in the order of their names,
/// which is the order in which they were made.
package struct LinkTable: Sendable {
    private var names: [LinkID] = []
    private var links: [Link?] = []
    private var nextNumber: UInt64 = 1

    /// What each radio knows of its links, by radio.
    package var accounts: [LinkAccount] = []

    /// How many links there are in all.
    package var count: Int { links.count }

    /// All links, those that are only asked for as well, in the order in which they were.
    package var all: [Link] { links.compactMap { $0 } }

    /// The link; nil if it has ended.
    package subscript(id: LinkID) -> Link? {
        _read {
            if let place = place(of: id) { yield links[place] } else { yield nil }
        }
        _modify {
            if let place = place(of: id) {
                yield &links[place]
            } else {
                var nothing: Link?
                yield &nothing
            }
        }
    }

    /// Takes a link out to work with it; it has to be put back before anything else happens.
    mutating func take(_ id: LinkID) -> Link? {
        guard let place = place(of: id) else { return nil }
        return links[place].take()
    }

    /// Puts a link back that was taken out, or forgets it.
    mutating func putBack(_ link: consuming Link) {
        guard let place = place(of: link.id) else { return }
        if link.isOver {
            names.remove(at: place)
            links.remove(at: place)
        } else {
            links[place] = consume link
        }
    }

    /// Takes a name for a link that is to be.
    mutating func makeName() -> LinkID {
        defer { nextNumber += 1 }
        return LinkID(rawValue: nextNumber)
    }

    /// Puts a new link into the table. Its name must be the latest.
    mutating func insert(_ link: Link) {
        names.append(link.id)
        links.append(link)
    }

    /// Forgets a link.
    mutating func remove(_ id: LinkID) {
        guard let place = place(of: id) else { return }
        names.remove(at: place)
        links.remove(at: place)
    }

    /// The names of all links of which the radio is an end, or which it asked for.
    func names(of radio: RadioID) -> [LinkID] {
        links.compactMap { link in
            guard let link, link.involves(radio) else { return nil }
            return link.id
        }
    }

    private func place(of id: LinkID) -> Int? {
        var low = 0
        var high = names.count
        while low < high {
            let middle = (low + high) / 2
            if names[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < names.count && names[low] == id ? low : nil
    }
}
