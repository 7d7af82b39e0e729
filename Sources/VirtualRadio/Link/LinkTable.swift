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
    private var boxes: [LinkBox?] = []
    private var nextNumber: UInt64 = 1

    /// What each radio knows of its links, by radio.
    package var accounts: [LinkAccount] = []

    /// How many links there are in all.
    package var count: Int { boxes.count }

    /// All links, those that are only asked for as well, in the order in which they were.
    package var all: [Link] { boxes.compactMap { $0.map { Link(copying: $0.link) } } }

    /// Whether these, in order, are just the links that both ends have.
    func hasWhole(_ known: [LinkID]) -> Bool {
        var next = 0
        for place in boxes.indices where boxes[place]?.link.isWhole == true {
            guard next < known.count, known[next] == names[place] else { return false }
            next += 1
        }
        return next == known.count
    }

    /// The link; nil if it has ended. This makes copies: what is done for every packet takes the
    /// link out instead.
    package subscript(id: LinkID) -> Link? {
        get { place(of: id).flatMap { boxes[$0].map { Link(copying: $0.link) } } }
        set {
            guard let newValue, let place = place(of: id) else { return }
            boxes[place] = LinkBox(newValue)
        }
    }

    /// Whether the end says good-bye, or is gone.
    func isLeaving(_ id: LinkID, _ side: LinkSide) -> Bool {
        place(of: id).flatMap { boxes[$0]?.link[side]?.procedures.isLeaving } ?? true
    }

    /// Takes a link out to work with it; it has to be put back before anything else happens.
    mutating func take(_ id: LinkID) -> LinkBox? {
        guard let place = place(of: id), var box = boxes[place].take() else { return nil }
        return isKnownUniquelyReferenced(&box) ? box : LinkBox(Link(copying: box.link))
    }

    /// Puts a link back that was taken out, or forgets it.
    mutating func putBack(_ box: consuming LinkBox) {
        guard let place = place(of: box.link.id) else { return }
        if box.link.isOver {
            remove(at: place)
        } else {
            boxes[place] = consume box
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
        boxes.append(LinkBox(link))
    }

    /// Forgets a link.
    mutating func remove(_ id: LinkID) {
        if let place = place(of: id) { remove(at: place) }
    }

    private mutating func remove(at place: Int) {
        names.remove(at: place)
        boxes.remove(at: place)
    }

    /// The names of all links of which the radio is an end, or which it asked for.
    func names(of radio: RadioID) -> [LinkID] {
        zip(names, boxes).compactMap { $1?.link.involves(radio) == true ? $0 : nil }
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

/// A link in a place of its own: links are large, and are worked on for every packet.
///
/// Nobody changes a link but who has taken its box out of the table, and a table gives away only a box
/// that nobody else refers to, or a copy. So a box is never changed while it is shared, and may be
/// sent like a value.
final class LinkBox: @unchecked Sendable {
    var link: Link

    init(_ link: Link) {
        self.link = link
    }
}
