// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import VirtualRadio

/// A connection from a live air to the Link Layer port of RootCanal, so that the devices of the air
/// and those of RootCanal receive each other, connect and pair.
///
/// ```swift
/// let rootCanal = RootCanalConnection(air, host: "127.0.0.1", port: 6404) { reason in … }
/// try await rootCanal.open()
/// ```
///
/// The port is RootCanal's `link_ble_port`. Each of RootCanal's devices gets a controller on the
/// air, which has the device's address. docs/ROOTCANAL.md states what passes between the two
/// radios.
///
/// The port has no authentication and no encryption, so use the loopback interface or a trusted
/// network.
///
/// `@unchecked Sendable`: all mutable state is used only on the air's thread, as `air.world`
/// checks.
public final class RootCanalConnection: @unchecked Sendable {
    private let air: LiveAir
    private let transport: TCPTransport
    private let position: Position
    private let ended: @Sendable (any Error) -> Void
    private var bridge: RootCanalBridge?
    private var isOver = false
    /// Whether `close()` was called.
    private var isClosed = false
    private var controllers: [Int: ControllerID] = [:]
    private var timer: (any HostTimer)?
    /// The packets from the controllers that the bridge has not handled yet.
    private var arrived: [(number: Int, packet: [UInt8])] = []

    /// Creates a connection that is not open.
    ///
    /// - Parameters:
    ///   - air: The air that RootCanal's devices join.
    ///   - host: The name or numeric address of RootCanal's machine.
    ///   - port: RootCanal's `link_ble_port`, by default 6404.
    ///   - position: The position of RootCanal's devices. Each is at most 5 meters away from it.
    ///   - ended: A closure that receives the reason, on the air's thread, when the open connection
    ///     has ended without `close()`: a ``TransportError`` or a ``RootCanalError``. RootCanal's
    ///     devices have then left the air without a packet, so links to them end with a
    ///     supervision timeout.
    public init(
        _ air: LiveAir,
        host: String,
        port: UInt16 = 6404,
        at position: Position = .origin,
        ended: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.air = air
        transport = TCPTransport(host: host, port: port)
        self.position = position
        self.ended = ended
    }

    /// Connects to RootCanal. May be called once.
    ///
    /// - Throws: ``TransportError`` if RootCanal cannot be reached within ten seconds after the
    ///   lookup of the host's name, and `TransportError.cancelled` if `close()` was called
    ///   meanwhile.
    public func open() async throws(TransportError) {
        try await transport.open(on: air.executor) { [self] in receive($0) }
        let wasClosed = await air.perform { [self] _ in
            // The transport was not open yet when `close()` was called.
            guard !isClosed else {
                transport.close()
                return true
            }
            begin()
            performOutputs()
            return false
        }
        if wasClosed { throw .cancelled }
    }

    /// Closes the connection, and removes RootCanal's devices from the air.
    public func close() async {
        await air.perform { [self] _ in
            isClosed = true
            leave()
            transport.close()
        }
    }

    private func begin() {
        guard bridge == nil, !isOver else { return }
        bridge = RootCanalBridge(now: air.world.now)
        timer = air.executor.makeTimer { [weak self] in self?.deadlinePassed() }
    }

    private func receive(_ event: TransportEvent) {
        switch event {
        case .received(let bytes):
            begin()
            air.catchUp()
            do throws(RootCanalError) {
                try bridge?.receive(bytes, now: air.world.now)
                performOutputs()
            } catch {
                end(error)
                transport.close()
            }
        case .closed(let error): end(error ?? .closedByPeer(transport.name))
        }
    }

    private func deadlinePassed() {
        air.catchUp()
        bridge?.deadlinePassed(now: air.world.now)
        performOutputs()
    }

    /// Leaves the air, and reports the reason.
    private func end(_ reason: any Error) {
        guard !isOver else { return }
        leave()
        ended(reason)
    }

    private func leave() {
        isOver = true
        bridge = nil
        timer?.set(to: nil)
        for controller in controllers.values { air.remove(controller) }
        controllers = [:]
        air.catchUpAtTurnEnd()
    }
}

// MARK: - The bridge

extension RootCanalConnection {
    private func performOutputs() {
        var outputs = (bridge?.takeOutputs() ?? [])[...]
        var frames: [[UInt8]] = []
        while let output = outputs.popFirst() {
            switch output {
            case .send(let packet): frames.append(packet.framedBytes)
            case .addController(let number, let address): add(number, address)
            case .removeController(let number):
                if let controller = controllers.removeValue(forKey: number) {
                    air.remove(controller)
                }
            case .readScanResponse(let advertiser, let scanner):
                guard let data = air.world.scanResponse(of: advertiser) else { break }
                bridge?.answerScan(of: advertiser, for: scanner, with: data)
                outputs += bridge?.takeOutputs() ?? []
            case .readCentralKey(let number, let request):
                let handle = request.connectionHandle
                guard let controller = controllers[number],
                    let key = air.world.centralKey(of: handle, at: controller)
                else { break }
                bridge?.requestEncryption(at: number, answering: request, with: key)
                outputs += bridge?.takeOutputs() ?? []
            case .sendToController(let number, let packets):
                guard let controller = controllers[number] else { break }
                for packet in packets { air.world.send(packet, to: controller) }
            }
        }
        if !frames.isEmpty { transport.send(frames) }
        timer?.set(to: bridge?.nextDeadline.map(air.realInstant))
        air.catchUpAtTurnEnd()
    }

    private func add(_ number: Int, _ address: DeviceAddress?) {
        var configuration = ControllerConfiguration(
            name: address.map { "RootCanal \($0)" } ?? "RootCanal observer",
            publicAddress: address?.kind == .public ? address : nil,
            at: Self.gridPosition(number, near: position)
        )
        configuration.reportsAllTargets = address == nil
        guard let controller = try? air.world.addController(configuration) else {
            bridge?.controllerRefused(number)
            return
        }
        controllers[number] = controller
        air.world.attach(controller) { [weak self] in self?.controllerSent($0, number) }
    }

    /// Returns the position of a controller: a point of a square grid with steps of half a meter.
    private static func gridPosition(_ number: Int, near position: Position) -> Position {
        let index = number % RootCanalBridge.proxyLimit
        return Position(
            x: position.x + Double(index % 8) / 2,
            y: position.y + Double(index / 8) / 2
        )
    }

    /// Keeps a packet from a controller until the world's current run has ended.
    private func controllerSent(_ packet: [UInt8], _ number: Int) {
        arrived.append((number, packet))
        guard arrived.count == 1 else { return }
        air.executor.perform { [self] in
            let packets = arrived
            arrived = []
            let now = air.world.now
            for (number, packet) in packets { bridge?.receive(packet, from: number, now: now) }
            performOutputs()
        }
    }
}
