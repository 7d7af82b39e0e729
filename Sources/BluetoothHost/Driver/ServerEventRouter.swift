// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A router that delivers the events of clients to the one reader of
/// `BluetoothHost.serverEvents()`.
///
/// It gets the links with each call. A stored `Link` would keep the host alive, so that a host with
/// an open link would never be deallocated.
struct ServerEventRouter {
    private var reader: ServerEventBuffer? {
        didSet { hasReader = reader != nil }
    }
    private var readerNumber = 0

    /// Whether there is a reader. The value is stored, because a comparison copies the reader.
    private(set) var hasReader = false
    /// Whether an event has happened for which the reader waits.
    private var isAwaited = false

    /// Opens a stream, which begins with the open links; `nil` if there is a reader already.
    ///
    /// - Parameters:
    ///   - links: The open links.
    ///   - onEnd: The closure to call once when the stream ends, with its number for `close(_:)`.
    mutating func open(
        with links: [Link],
        onEnd: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> (stream: ServerEventStream, number: Int)? {
        guard reader == nil else { return nil }
        readerNumber += 1
        let number = readerNumber
        let reader = ServerEventBuffer(limit: BluetoothHost.serverEventLimit) { onEnd(number) }
        for link in links { _ = reader.append(.connected(link)) }
        self.reader = reader
        return (ServerEventStream(reader), number)
    }

    /// Ends the stream with this number. A newer stream stays open.
    mutating func close(_ number: Int) {
        if number == readerNumber { close() }
    }

    mutating func close() {
        let reader = reader
        self.reader = nil
        reader?.close()
    }

    /// Wakes the reader if an event has happened for which it waits.
    mutating func wakeReader() {
        guard isAwaited else { return }
        isAwaited = false
        reader?.wake()
    }

    /// Reports an event of a link. The event is lost if the link is `nil`, because it is not open.
    ///
    /// - Returns: The error code with which the host must refuse the client's request, because the
    ///   application does not get it; `nil` if the application gets the event.
    mutating func deliver(
        _ event: ClientEvent,
        on link: Link?
    ) -> ATT.ErrorCode? {
        guard let link, hasReader else { return .unlikelyError }
        return send(ServerEvent(event, of: link)) ? nil : .insufficientResources
    }

    /// Reports an event. If the reader would miss the event and must not, the stream ends.
    ///
    /// - Returns: `false` if the reader has no room for the event.
    @discardableResult
    mutating func send(_ event: ServerEvent) -> Bool {
        switch reader?.append(event) {
        case .kept, nil: return true
        case .awaited:
            isAwaited = true
            return true
        case .dropped:
            if !event.mayBeLost { close() }
            return false
        }
    }
}

extension ServerEvent {
    /// Creates the event for the application.
    fileprivate init(_ event: ClientEvent, of link: Link) {
        switch event {
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

    /// Whether a slow reader may miss the event: the host can refuse requests and discard commands,
    /// and written values stay in the database.
    fileprivate var mayBeLost: Bool {
        switch self {
        case .read, .write, .written: true
        case .connected, .disconnected, .subscribed, .readyToNotify: false
        }
    }
}
