// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The links of a world, including proposed ones, and the state of each radio that its links share.
///
/// The links are sorted by identity, which is the order of their creation.
package struct EtherLinks: Sendable {
    private var identifiers: [LinkID] = []
    private var boxes: [LinkReference?] = []
    private var nextNumber: UInt64 = 1
    /// The place of the link that was taken last.
    private var takenIndex = 0

    /// The state that the links of a radio share, by radio.
    package var resources: [LinkResources] = []

    /// The number of times that an end of a link was opened or closed.
    var changeCount = 0

    /// The number of all links.
    package var count: Int { boxes.count }

    /// All links, including proposed ones, in the order of their creation.
    package var all: [RadioLink] { boxes.compactMap { $0.map { RadioLink(copying: $0.link) } } }

    /// The link; `nil` if it has ended. The accessors copy the link. The code for each packet uses
    /// `take` instead.
    package subscript(id: LinkID) -> RadioLink? {
        get { index(of: id).flatMap { boxes[$0].map { RadioLink(copying: $0.link) } } }
        set {
            guard let newValue, let index = index(of: id) else { return }
            boxes[index] = LinkReference(newValue)
        }
    }

    /// Returns the result of `body` for the link, without copying the link; `nil` if it has ended.
    /// `body` must not keep an end of the link.
    func read<Value>(_ id: LinkID, _ body: (RadioLink) -> Value) -> Value? {
        guard let index = index(of: id), let box = boxes[index] else { return nil }
        return body(box.link)
    }

    /// Returns whether the end is disconnecting, or does not exist.
    func isDisconnecting(_ id: LinkID, _ side: LinkSide) -> Bool {
        index(of: id).flatMap { boxes[$0]?.link[side]?.procedures.isDisconnecting } ?? true
    }

    /// Takes a link out of the table to change it. It must be put back before any other event.
    mutating func take(_ id: LinkID) -> LinkReference? {
        guard let index = index(of: id), var box = boxes[index].take() else { return nil }
        takenIndex = index
        return isKnownUniquelyReferenced(&box) ? box : LinkReference(RadioLink(copying: box.link))
    }

    /// Puts back a link that was taken out, or removes it if both its ends are closed.
    mutating func putBack(_ box: consuming LinkReference) {
        guard let index = index(of: box.link.id, at: takenIndex) else { return }
        if box.link.isOver {
            remove(at: index)
        } else {
            boxes[index] = consume box
        }
    }

    /// Returns the identity of a new link.
    mutating func makeIdentifier() -> LinkID {
        defer { nextNumber += 1 }
        return LinkID(rawValue: nextNumber)
    }

    /// Adds a new link, whose identity must be the latest.
    mutating func insert(_ link: RadioLink) {
        identifiers.append(link.id)
        boxes.append(LinkReference(link))
    }

    /// Removes a link.
    mutating func remove(_ id: LinkID) {
        if let index = index(of: id) { remove(at: index) }
    }

    private mutating func remove(at index: Int) {
        identifiers.remove(at: index)
        boxes.remove(at: index)
    }

    /// Returns whether the radio has, or has requested, fewer links than `limit`.
    func hasRoom(_ radio: RadioID, limit: Int) -> Bool {
        count < limit || identifiers(of: radio).count < limit
    }

    /// Returns the identities of all links of which the radio is an end, or which it has requested.
    func identifiers(of radio: RadioID) -> [LinkID] {
        zip(identifiers, boxes).compactMap { $1?.link.involves(radio) == true ? $0 : nil }
    }

    /// Returns the place of a link, which is probably `guess`.
    private func index(of id: LinkID, at guess: Int) -> Int? {
        guess < identifiers.count && identifiers[guess] == id ? guess : index(of: id)
    }

    private func index(of id: LinkID) -> Int? {
        var low = 0
        var high = identifiers.count
        while low < high {
            let middle = (low + high) / 2
            if identifiers[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < identifiers.count && identifiers[low] == id ? low : nil
    }
}

/// A reference to a link, because links are large and change for every packet.
///
/// A link changes only after its box was taken out of the table, and the table returns only a box
/// that has no other reference, or a copy. So a box never changes while it is shared, and can be
/// sent like a value.
final class LinkReference: @unchecked Sendable {
    var link: RadioLink

    init(_ link: RadioLink) {
        self.link = link
    }
}

/// The identity of a link in its world, which is never reused.
package struct LinkID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of the link in its world.
    package let rawValue: UInt64

    package static func < (left: LinkID, right: LinkID) -> Bool { left.rawValue < right.rawValue }

    package var description: String { "link \(rawValue)" }
}

/// One of the two ends of a link.
package enum LinkSide: Hashable, Sendable, CaseIterable {
    case central
    case peripheral

    /// The other end.
    package var other: LinkSide { self == .central ? .peripheral : .central }
}
