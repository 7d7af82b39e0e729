// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import Synchronization
import VirtualAdapters
import VirtualRadio

/// The host's transport to a gateway of the building, in virtual time.
///
/// A real host uses `GatewayTransport`, which has the same protocol over TLS.
final class SimulatedGateway: HCITransport {
    private typealias Opening = CheckedContinuation<Result<Void, TransportError>, Never>

    private struct State {
        var model: GatewayModel
        var timer: (any HostTimer)?
        /// The caller of `open` that waits for the lease.
        var opening: Opening?
        /// The receiver of the events of the open transport.
        var receive: (@Sendable (TransportEvent) -> Void)?
    }

    /// The name: `gateway:` and the name of the gateway.
    let name: String
    let controller: ControllerID
    private let air: SimulatedAir
    /// The gateway's own connection to its controller.
    private let port: VirtualTransport
    // Used on the air's thread only.
    private let state: Mutex<State>
    private let log: @Sendable (String) -> Void

    /// Creates a gateway and its controller in a world that does not run yet.
    ///
    /// - Parameters:
    ///   - configuration: Its controller, with the name and the place of the gateway.
    ///   - conditions: The network to the host.
    ///   - air: The air of the controller and the host.
    ///   - log: A closure that receives the lines of the gateway's log.
    /// - Throws: `WorldFullError` if the world is full.
    init(
        _ configuration: ControllerConfiguration,
        _ conditions: NetworkConditions,
        in air: SimulatedAir,
        log: @escaping @Sendable (String) -> Void
    ) throws {
        name = "gateway:\(configuration.name)"
        self.air = air
        self.log = log
        controller = try air.world.addController(configuration)
        port = air.adapter(of: controller)
        let seed = SplitMix64.mix(air.world.seed ^ UInt64(controller.number) << 32)
        state = Mutex(State(model: GatewayModel(name: configuration.name, conditions, seed: seed)))
    }

    /// Whether a host has the gateway's lease.
    var isLeased: Bool { state.withLock { $0.model.isLeased } }

    /// Whether the gateway has power and a network.
    var isReachable: Bool { state.withLock { $0.model.isOn && !$0.model.isCut } }

    // MARK: Transport

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        guard executor === air.executor else { throw .unsuitableExecutor(name) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (opening: Opening) in
                executor.perform { [self] in begin(opening, receive) }
            }
        } onCancel: {
            executor.perform { [self] in
                change { $0.isInUse ? $0.disconnect("canceled", now: $1) : [] }
            }
        }
        try result.get()
    }

    private func begin(
        _ opening: Opening,
        _ receive: @escaping @Sendable (TransportEvent) -> Void
    ) {
        let isFree = state.withLock { state in
            guard !state.model.isInUse else { return false }
            state.opening = opening
            state.receive = receive
            return true
        }
        guard isFree else { return opening.resume(returning: .failure(.alreadyOpen(name))) }
        change { model, now in
            model.connect(now: now)
            return []
        }
    }

    func send(_ packets: [[UInt8]]) {
        change { $0.hostSent(Array(packets.joined()), now: $1) }
    }

    func close() {
        change { $0.disconnect(nil, now: $1) }
    }

    // MARK: Faults

    /// Cuts the power, or switches it on again. The links of the controller end without a packet.
    func setPower(_ isOn: Bool) {
        change { model, now in
            model.setPower(isOn, now: now)
            return []
        }
        if isOn {
            air.world.switchOn(controller)
        } else {
            port.close()
            air.world.switchOff(controller)
        }
    }

    /// Cuts the network to the host, or connects it again.
    func setCut(_ isCut: Bool) {
        change { model, now in
            model.setCut(isCut, now: now)
            return []
        }
    }

    // MARK: Effects

    private func change(
        _ body: (inout GatewayModel, Instant) -> [GatewayModel.Effect]
    ) {
        let now = air.now
        perform(state.withLock { body(&$0.model, now) })
        setTimer()
    }

    private func setTimer() {
        let timer = state.withLock { state in
            let timer =
                state.timer
                ?? air.executor.makeTimer { [weak self] in
                    self?.change { $0.advance(now: $1) }
                }
            state.timer = timer
            return timer
        }
        timer.set(to: state.withLock { $0.model.nextDeadline })
    }

    private func perform(_ effects: [GatewayModel.Effect]) {
        for effect in effects {
            switch effect {
            case .granted: takeOpening()?.resume(returning: .success(()))
            case .ended(let reason): ended(reason)
            case .deliver(let bytes):
                state.withLock { $0.receive }?(.received(bytes[...]))
            case .openController: openController()
            case .control(let packets): port.send(packets)
            case .closeController: port.close()
            case .log(let text): log(text)
            }
        }
    }

    private func takeOpening() -> Opening? {
        state.withLock { state in
            defer { state.opening = nil }
            return state.opening
        }
    }

    private func ended(_ reason: String?) {
        let error = reason.map { TransportError.gateway(name, reason: $0) }
        if let opening = takeOpening() {
            return opening.resume(returning: .failure(error ?? .cancelled))
        }
        let receive = state.withLock { state in
            defer { state.receive = nil }
            return state.receive
        }
        // `close()` returns before the event.
        if let receive { air.executor.perform { receive(.closed(error)) } }
    }

    private func openController() {
        Task(executorPreference: air.executor.taskExecutor) { [self] in
            do throws(TransportError) {
                try await port.open(on: air.executor) { [weak self] event in
                    self?.change { model, now in
                        guard model.isOn else { return [] }
                        return switch event {
                        case .received(let bytes): model.controllerSent(bytes, now: now)
                        case .closed(let error):
                            model.controllerEnded(error.map { "\($0)" }, now: now)
                        }
                    }
                }
                change { $0.controllerOpened(now: $1) }
            } catch {
                change { $0.controllerEnded("\(error)", now: $1) }
            }
        }
    }
}
