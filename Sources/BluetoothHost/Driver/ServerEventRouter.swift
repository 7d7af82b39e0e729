// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// Carries what clients do to the one reader of `BluetoothHost.serverEvents()`.
///
/// It knows links by their addresses, and is told the host each time: a `Link` that the host keeps
/// would keep the host, and who lets go of a host that is connected would never be rid of it.
struct ServerEventRouter {
    typealias Reader = AsyncStream<ServerEvent>.Continuation

    /// The links that can be served, and whom they lead to.
    private var links: [LinkIdentifier: DeviceAddress] = [:]
    private var reader: Reader?
    private var readerNumber = 0

    /// Whether somebody reads.
    var hasReader: Bool { reader != nil }

    /// Makes a stream, which begins with the links there are; nil if somebody has one. The number
    /// is for `close(_:)`.
    mutating func open(
        for host: BluetoothHost
    ) -> (AsyncStream<ServerEvent>, Reader, number: Int)? {
        guard reader == nil else { return nil }
        let (stream, reader) = AsyncStream.makeStream(
            of: ServerEvent.self,
            bufferingPolicy: .bufferingOldest(BluetoothHost.serverEventLimit)
        )
        for (link, peer) in links.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            reader.yield(.connected(Link(host: host, identifier: link, address: peer)))
        }
        self.reader = reader
        readerNumber += 1
        return (stream, reader, readerNumber)
    }

    /// A reader has gone. There may be another by now.
    mutating func close(_ number: Int) {
        if number == readerNumber { close() }
    }

    /// There is nothing more to tell.
    mutating func close() {
        let reader = reader
        self.reader = nil
        reader?.finish()
    }

    /// A link can be served from now on.
    mutating func begin(_ link: Link) {
        links[link.identifier] = link.address
        tell(.connected(link))
    }

    /// A link has ended.
    mutating func end(_ link: LinkIdentifier, of host: BluetoothHost, with reason: HostError) {
        guard let peer = links.removeValue(forKey: link) else { return }
        tell(.disconnected(Link(host: host, identifier: link, address: peer), reason))
    }

    /// Hands on what happened on a link. Returns why the client is to be refused if nobody will
    /// learn what it asked.
    mutating func deliver(
        _ news: ServerNews,
        on link: LinkIdentifier,
        of host: BluetoothHost
    ) -> ATT.ErrorCode? {
        guard let peer = links[link], let reader else { return .unlikelyError }
        let link = Link(host: host, identifier: link, address: peer)
        guard let event = ServerEvent(news, of: link) else { return nil }
        guard case .dropped = reader.yield(event) else { return nil }
        if !event.mayBeLost { close() }
        return .insufficientResources
    }

    private mutating func tell(_ event: ServerEvent) {
        if case .dropped = reader?.yield(event) { close() }
    }
}

extension ServerEvent {
    /// What an application hears of some news; nil for what it is told by other means.
    fileprivate init?(_ news: ServerNews, of link: Link) {
        switch news {
        case .connected: return nil
        case .asked(let identifier, .read(_, let handle, let offset)):
            let question = OpenQuestion(identifier, of: link.host)
            self = .read(
                ReadRequest(link: link, handle: handle, offset: offset, question: question)
            )
        case .asked(let identifier, .write(_, let entries, let needsAnswer)):
            self = .write(
                WriteRequest(
                    link: link,
                    entries: entries,
                    needsResponse: needsAnswer,
                    question: needsAnswer ? OpenQuestion(identifier, of: link.host) : nil
                )
            )
        case .written(let entries): self = .written(link, entries)
        case .subscribed(let handle, let kind): self = .subscribed(link, handle, kind)
        case .readyToNotify: self = .readyToNotify(link)
        }
    }

    /// Whether the one who reads too slowly may miss this: requests are refused, commands may be
    /// discarded.
    fileprivate var mayBeLost: Bool {
        switch self {
        case .read, .write, .written: true
        case .connected, .disconnected, .subscribed, .readyToNotify: false
        }
    }
}
