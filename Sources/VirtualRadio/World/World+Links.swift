// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// A connection has come or gone.
public enum LinkChange: Hashable, Sendable {
    /// Both ends have it now.
    case made(WorldStatus.Link)
    /// One of the ends has given it up; as it was when it was made.
    case ended(WorldStatus.Link)
}

extension World {
    /// Has every connection that both ends have, and every end of one, told to `observer`, right
    /// after the event that brought it about; however short the connection was. Those that are
    /// there already are told first. Nil for nobody.
    ///
    /// What is done to the world from outside, such as switching a controller off, is told in the
    /// next run.
    public func observeLinks(_ observer: ((LinkChange) -> Void)?) {
        linkWatch = observer.map { LinkWatch(observer: $0) }
        tellLinks()
    }

    /// Tells what has changed since the last time.
    func tellLinks() {
        guard let known = linkWatch?.known, !core.ether.links.hasWhole(known.map(\.name)) else {
            return
        }
        let present = core.ether.links.all.compactMap { link in
            status(of: link).map { LinkWatch.Known(name: link.id, link: $0) }
        }
        let changes = LinkWatch.changes(from: known, to: present)
        linkWatch?.known = changes.known
        for change in changes.told { linkWatch?.observer(change) }
    }
}

/// Who is told of connections, and which they know of.
struct LinkWatch {
    /// A connection as it was when it was made.
    struct Known {
        let name: LinkID
        let link: WorldStatus.Link
    }

    let observer: (LinkChange) -> Void
    /// In the order in which they were made.
    fileprivate(set) var known: [Known] = []

    fileprivate static func changes(
        from known: [Known],
        to present: [Known]
    ) -> (known: [Known], told: [LinkChange]) {
        let knownNames = Set(known.map(\.name))
        let presentNames = Set(present.map(\.name))
        let made = present.filter { !knownNames.contains($0.name) }
        let stayed = known.filter { presentNames.contains($0.name) }
        let ended = known.filter { !presentNames.contains($0.name) }
        return (
            (stayed + made).sorted { $0.name < $1.name },
            ended.map { .ended($0.link) } + made.map { .made($0.link) }
        )
    }
}
