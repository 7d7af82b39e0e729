// SPDX-License-Identifier: Apache-2.0

import HCITransports
import NIOCore

/// The gateway's controller, on a thread of its own.
///
/// `open()`, `send(_:)` and `close()` are called on the event loop, and all events arrive on it.
final class ControllerPort: Sendable {
    enum Event: Sendable {
        case opened
        case sent([UInt8])
        /// The controller could not be opened, or has closed. The reason is `nil` if the gateway
        /// closed it.
        case ended(String?)
    }

    private let transport: any HCITransport
    private let executor = AdapterExecutor()
    private let loop: any EventLoop
    private let received: @Sendable (Event) -> Void

    init(
        _ transport: any HCITransport,
        on loop: any EventLoop,
        received: @escaping @Sendable (Event) -> Void
    ) {
        self.transport = transport
        self.loop = loop
        self.received = received
    }

    /// Opens the transport. `opened` or `ended` follows.
    func open() {
        Task { [transport, executor, loop, received] in
            do throws(TransportError) {
                try await transport.open(on: executor) { event in
                    switch event {
                    case .received(let bytes):
                        let bytes = Array(bytes)
                        loop.execute { received(.sent(bytes)) }
                    case .closed(let error):
                        loop.execute { received(.ended(error.map { "\($0)" })) }
                    }
                }
                loop.execute { received(.opened) }
            } catch {
                loop.execute { received(.ended("\(error)")) }
            }
        }
    }

    func send(_ packets: [[UInt8]]) {
        executor.perform { [transport] in transport.send(packets) }
    }

    /// Closes the transport. `ended` follows.
    func close() {
        executor.perform { [transport] in transport.close() }
    }

    /// Ends the thread. No method may be called afterward.
    func shutDown() { executor.shutDown() }
}
