// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The beginning or the end of a link.
public enum LinkChange: Hashable, Sendable {
    /// Both ends have the link now.
    case made(WorldStatus.Link)
    /// One of the ends no longer has the link. The value is the link when it was made.
    case ended(WorldStatus.Link)
}

extension World {
    /// Reports each link that both ends have, and the end of each, directly after the event that
    /// caused it, even if the link was very short. Links that exist already are reported first.
    ///
    /// Changes from outside the world's events, such as switching a controller off, are reported in
    /// the next run.
    ///
    /// - Parameter observer: Receives the changes; `nil` removes the observer.
    public func observeLinks(_ observer: ((LinkChange) -> Void)?) {
        linkWatch = observer.map { LinkWatch(observer: $0) }
        reportLinkChanges()
    }

    /// Reports the changes since the last call.
    func reportLinkChanges() {
        let changeCount = core.ether.links.changeCount
        guard let known = linkWatch?.known, linkWatch?.changeCount != changeCount else { return }
        let present = core.ether.links.all.compactMap { link in
            status(of: link).map { LinkWatch.Known(id: link.id, link: $0) }
        }
        let changes = LinkWatch.changes(from: known, to: present)
        linkWatch?.known = changes.known
        linkWatch?.changeCount = changeCount
        for change in changes.reported { linkWatch?.observer(change) }
    }
}

/// The observer of links, and the links that were reported to it.
struct LinkWatch {
    /// A link as it was when it was made.
    struct Known {
        let id: LinkID
        let link: WorldStatus.Link
    }

    let observer: (LinkChange) -> Void
    /// The links that were reported, in the order of their numbers.
    fileprivate(set) var known: [Known] = []
    /// The value of `EtherLinks.changeCount` at the last report.
    fileprivate var changeCount = -1

    fileprivate static func changes(
        from known: [Known],
        to present: [Known]
    ) -> (known: [Known], reported: [LinkChange]) {
        let knownIDs = Set(known.map(\.id))
        let presentIDs = Set(present.map(\.id))
        let made = present.filter { !knownIDs.contains($0.id) }
        let stayed = known.filter { presentIDs.contains($0.id) }
        let ended = known.filter { !presentIDs.contains($0.id) }
        return (
            (stayed + made).sorted { $0.id < $1.id },
            ended.map { .ended($0.link) } + made.map { .made($0.link) }
        )
    }
}
