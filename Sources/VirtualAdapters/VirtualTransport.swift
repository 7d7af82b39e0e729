// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import Synchronization
import VirtualRadio

/// The wire between a host of this process and a controller of a virtual air.
///
/// Nothing is lost on it and nothing takes time; what goes wrong is the controller's `FaultPlan`.
/// Closing it is pulling a cable: the controller goes on, and what it says meanwhile is lost. The
/// transport can then be opened again. It runs on the executor of its air only, which the host must
/// be given as well. A controller that is taken out of the world takes the wire with it: the number
/// may belong to another by then, which the transport never reaches.
public final class VirtualTransport: HCITransport {
    /// One time that it is open.
    private final class Opening: Sendable {
        let executor: any HostExecutor
        let receive: @Sendable (TransportEvent) -> Void
        /// What has come, and is handed up when the world has made its step.
        private let arrived = Mutex<[UInt8]>([])

        init(
            _ executor: any HostExecutor,
            _ receive: @escaping @Sendable (TransportEvent) -> Void
        ) {
            self.executor = executor
            self.receive = receive
        }

        /// Hands the packet up, with all others that come before the executor has the time.
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

        /// Nothing more comes but this.
        func end(_ error: TransportError?) {
            executor.perform { [self] in
                arrived.withLock { $0 = [] }
                receive(.closed(error))
            }
        }
    }

    /// The controller at its other end.
    public let controller: ControllerID
    private let wire: any ControllerWire
    private let opening = Mutex<Opening?>(nil)
    /// Which of those who had the controller's number it is; known when it was opened first.
    private let tenure = Mutex<Int?>(nil)

    init(to controller: ControllerID, over wire: any ControllerWire) {
        self.controller = controller
        self.wire = wire
    }

    /// `virtual:` and the number of the controller.
    public var name: String { "virtual:\(controller.number)" }

    /// Connects the wire. Fails if it is connected, or if the executor is not that of the air.
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
                // Unless it was closed on the way.
                if self.opening.withLock({ $0 === opening }) { attach(opening) }
                opened.resume()
            }
        }
    }

    private func attach(_ opening: Opening) {
        guard isThere else { return close(.closedByPeer(name)) }
        wire.attach(controller) { opening.deliver($0) }
    }

    /// Whether the controller is still the one that it was.
    private var isThere: Bool {
        let now = wire.world.tenure(of: controller)
        return tenure.withLock { tenure in
            tenure = tenure ?? now
            return tenure == now
        }
    }

    /// Brings packets to the controller, at this instant.
    public func send(_ packets: [[UInt8]]) {
        guard opening.withLock({ $0 != nil }) else { return }
        guard isThere else { return close(.closedByPeer(name)) }
        for packet in packets { wire.send(packet, to: controller) }
    }

    /// Pulls the cable.
    public func close() {
        close(nil)
    }

    func close(_ error: TransportError?) {
        let closed = opening.withLock { opening in
            defer { opening = nil }
            return opening
        }
        guard let closed else { return }
        if isThere { wire.detach(controller) }
        closed.end(error)
    }
}

/// What a `VirtualTransport` needs of its air. All but the executor is for the air's thread only.
protocol ControllerWire: Sendable {
    /// The air's thread.
    var wireExecutor: any HostExecutor { get }

    /// The air's world.
    var world: World { get }

    /// Brings octets of the host to the controller.
    func send(_ bytes: [UInt8], to controller: ControllerID)
}

extension ControllerWire {
    /// Has all that the controller says from now on given to `receive`, which must not call back.
    func attach(_ controller: ControllerID, _ receive: @escaping @Sendable ([UInt8]) -> Void) {
        _ = world.takeOutput(of: controller)
        world.attach(controller, receive)
    }

    /// Lets all that the controller says be lost.
    func detach(_ controller: ControllerID) {
        world.attach(controller) { _ in }
    }
}
