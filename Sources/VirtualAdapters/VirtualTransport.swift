// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import VirtualRadio

/// The transport between a host of this process and a controller of a virtual air.
///
/// The transport loses no packets and adds no delay; the controller's `FaultPlan` has the faults.
/// When the transport is closed, as when a cable is unplugged, the controller continues, and its
/// packets are lost. The transport can then be opened again. It runs only on the executor of its
/// air, which the host must also use. If the controller was removed from the world, the next use of
/// the transport closes the transport, because a new controller may have got the number of the
/// removed one.
public final class VirtualTransport: HCITransport {
    /// The state of the transport while it is open.
    private final class Opening: Sendable {
        let executor: any HostExecutor
        let receive: @Sendable (TransportEvent) -> Void
        /// The bytes that have arrived, which are delivered after the current step of the world.
        private let arrived = Lock<[UInt8]>([])

        init(
            _ executor: any HostExecutor,
            _ receive: @escaping @Sendable (TransportEvent) -> Void
        ) {
            self.executor = executor
            self.receive = receive
        }

        /// Delivers the packet, together with all others that arrive before the executor runs the
        /// delivery.
        func deliver(_ packet: [UInt8]) {
            let isFirst = arrived.withLock { arrived in
                defer { arrived += packet }
                return arrived.isEmpty
            }
            guard isFirst else { return }
            executor.perform { [self] in
                let bytes = arrived.withLock { arrived in
                    defer { arrived = [] }
                    return arrived
                }
                if !bytes.isEmpty { receive(.received(bytes[...])) }
            }
        }

        /// Discards undelivered bytes, and delivers the end of the connection.
        func end(_ error: TransportError?) {
            executor.perform { [self] in
                arrived.withLock { $0 = [] }
                receive(.closed(error))
            }
        }
    }

    /// The controller at the other end.
    public let controller: ControllerID
    private let wire: any ControllerWire
    private let opening = Lock<Opening?>(nil)
    /// The world's removal count for the controller's number when the transport was first opened;
    /// `nil` until then. A different count shows that the controller was removed.
    private let removalCount = Lock<Int?>(nil)

    init(to controller: ControllerID, over wire: any ControllerWire) {
        self.controller = controller
        self.wire = wire
    }

    /// The word `virtual:` and the number of the controller.
    public var name: String { "virtual:\(controller.number)" }

    /// Connects the transport.
    ///
    /// - Throws: `unsuitableExecutor` if the executor is not that of the air, `alreadyOpen` if the
    ///   transport is open.
    public func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        guard executor === wire.wireExecutor else { throw .unsuitableExecutor(name) }
        let opening = Opening(executor, receive)
        let isFirst = self.opening.withLock { current in
            guard current == nil else { return false }
            current = opening
            return true
        }
        guard isFirst else { throw .alreadyOpen(name) }
        await withCheckedContinuation { opened in
            executor.perform { [self] in
                // The transport may have been closed meanwhile.
                if self.opening.withLock({ $0 === opening }) { attach(opening) }
                opened.resume()
            }
        }
    }

    private func attach(_ opening: Opening) {
        guard isThere else { return close(.closedByPeer(name)) }
        wire.attach(controller) { opening.deliver($0) }
    }

    /// Whether the controller is still the one to which the transport was first opened.
    private var isThere: Bool {
        let now = wire.world.removalCount(of: controller)
        return removalCount.withLock { removalCount in
            removalCount = removalCount ?? now
            return removalCount == now
        }
    }

    /// Sends packets to the controller, at this instant.
    public func send(_ packets: [[UInt8]]) {
        guard opening.withLock({ $0 != nil }) else { return }
        guard isThere else { return close(.closedByPeer(name)) }
        for packet in packets { wire.send(packet, to: controller) }
    }

    /// Closes the transport.
    public func close() {
        close(nil)
    }

    /// Closes the transport with an error, as when an adapter is unplugged.
    package func close(_ error: TransportError?) {
        let closed = opening.withLock { opening in
            defer { opening = nil }
            return opening
        }
        guard let closed else { return }
        if isThere { wire.detach(controller) }
        closed.end(error)
    }
}

/// The interface of an air for a `VirtualTransport`. Only the executor may be used outside of the
/// air's thread.
protocol ControllerWire: Sendable {
    /// The executor of the air.
    var wireExecutor: any HostExecutor { get }

    /// The world of the air.
    var world: World { get }

    /// Sends bytes of the host to the controller.
    func send(_ bytes: [UInt8], to controller: ControllerID)
}

extension ControllerWire {
    /// Passes all packets of the controller to `receive` from now on, and discards packets that
    /// wait. `receive` must not call the world.
    func attach(_ controller: ControllerID, _ receive: @escaping @Sendable ([UInt8]) -> Void) {
        _ = world.takeOutput(of: controller)
        world.attach(controller, receive)
    }

    /// Discards all packets of the controller from now on.
    func detach(_ controller: ControllerID) {
        world.attach(controller) { _ in }
    }
}
