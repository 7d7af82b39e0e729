// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothL2CAP
import BluetoothPort
import BluetoothSMP
import BluetoothTypes
import HCITransports

/// The port of a host. The adapter keeps the host alive.
package final class HostAdapter: BluetoothPort {
    private struct State {
        weak var observer: (any PortObserver)?
        var listeners: [L2CAP.SPSM: ListenerKey] = [:]
    }

    /// The scan parameters that save energy: a duty cycle of 10 %.
    private static let backgroundScan: ScanParameters = {
        var parameters = ScanParameters()
        parameters.interval = .milliseconds(600)
        parameters.window = .milliseconds(60)
        return parameters
    }()

    /// The maximum number of channels that wait to be accepted. The adapter accepts each channel as
    /// soon as its executor runs, so few channels wait.
    private static let backlog = 8

    package let host: BluetoothHost
    // Only code on the executor uses the lock, so it is never contended.
    private let state = Lock(State())

    /// The options of connection requests.
    private let connectOptions: ConnectOptions

    /// Creates the port of a host.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - supervisionTimeout: The supervision timeout of the links that the host makes; `nil` for
    ///     the default.
    package init(_ host: BluetoothHost, supervisionTimeout: Duration? = nil) {
        self.host = host
        var options = ConnectOptions.continuous
        if let supervisionTimeout { options.parameters.supervisionTimeout = supervisionTimeout }
        connectOptions = options
    }

    /// Calls the host, which runs on the same executor.
    private func onHost<Value: Sendable>(
        _ body: (isolated BluetoothHost) throws -> Value
    ) rethrows -> Value {
        try host.assumeIsolated(body)
    }
}

extension HostAdapter {
    package var executor: any HostExecutor { host.executor }
    package var scanLimit: Int { HostCore.scanLimit }

    package var capabilities: PortCapabilities {
        var capabilities: PortCapabilities = [.server, .advertising, .channels, .bonds, .records]
        let controller = onHost { $0.capabilities }
        if let controller, controller.supportsExtendedScanning,
            controller.supportsExtendedInitiating
        {
            capabilities.insert(.extendedAdvertisements)
        }
        return capabilities
    }

    package func attach(_ observer: any PortObserver) {
        state.withLock { $0.observer = observer }
        onHost { $0.attach(self) }
    }

    package func open() { onHost { $0.beginStart() } }

    package func shutDown() async { await host.shutdown() }

    package func setDeviceName(_ name: String) { onHost { $0.setDeviceName(name) } }
}

// Peers, scans and connections.
extension HostAdapter {
    package func identifier(of address: DeviceAddress) -> PeerIdentifier {
        onHost { $0.identifier(of: address) }
    }

    package func recognizes(_ peer: PeerIdentifier) -> Bool {
        host.peerCipher.address(of: peer) != nil
    }

    package var bondedPeers: [PortBond] {
        onHost { $0.bonds }.map(PortBond.init)
    }

    package func removeBond(with peer: PeerIdentifier) { onHost { $0.removeBond(peer) } }

    package func startScan(
        _ scan: PortScan,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> RequestIdentifier {
        let request = ScanRequest(
            filter: ScanFilter(),
            parameters: scan.isInBackground ? Self.backgroundScan : ScanParameters(),
            reportsDuplicates: scan.reportsDuplicates
        )
        return onHost { host in
            host.beginScan(request) { result in
                guard case .failure(let error) = result, error as? HostError != .closed else {
                    return
                }
                failed(portError(error))
            }
        }
    }

    package func endScan(_ scan: RequestIdentifier) { onHost { $0.endScan(scan) } }

    package func connect(
        to peer: PeerIdentifier,
        failed: @escaping @Sendable (PortError) -> Void
    ) -> RequestIdentifier {
        onHost { host in
            guard let address = host.address(of: peer) else {
                executor.perform { failed(.refused(.unknown)) }
                return host.takeRequest()
            }
            return host.beginConnecting(to: address, options: connectOptions) { result in
                guard case .failure(let error as HostError) = result, error != .closed else {
                    return
                }
                failed(PortError(error))
            }
        }
    }

    package func cancelConnectionRequest(_ request: RequestIdentifier) {
        onHost { $0.cancelConnectionRequest(request) }
    }
}

extension ConnectOptions {
    /// Options without a timeout, and with continuous scanning.
    ///
    /// The controller scans all the time that its links and scans leave. Scanning half of the time
    /// would miss about every second packet. A peer that returns would then often wait for another
    /// advertising interval.
    fileprivate static var continuous: ConnectOptions {
        var options = whenAvailable
        options.parameters.scanWindow = options.parameters.scanInterval
        return options
    }
}

// Links.
extension HostAdapter {
    package func begin(
        _ request: PortRequest,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<PortAnswer>
    ) {
        onHost { host in
            let request = LinkRequest(request, policy: host.configuration.pairing)
            _ = host.begin(request, on: link) { [weak self] result in
                let answer = result.map(PortAnswer.init).mapError { error in
                    self?.isEnding(link) == false ? portErrorOfOpenLink(error) : portError(error)
                }
                completion(answer)
            }
        }
    }

    private func isEnding(_ link: LinkIdentifier) -> Bool { onHost { $0.core.isEnding(link) } }

    package func knownDatabase(of link: LinkIdentifier) -> GATT.Database? {
        onHost { $0.knownDatabase(of: link) }
    }
}

extension LinkRequest {
    fileprivate init(_ request: PortRequest, policy: Pairing.Policy) {
        self =
            switch request {
            case .gatt(let operation, let securesOnDemand):
                .gatt(operation, securesOnDemand: securesOnDemand)
            case .database: .database
            case .readRSSI: .readRSSI
            case .updateParameters(let interval, let peripheralLatency):
                .updateParameters(
                    ConnectionUpdate(
                        intervalMinimum: interval.lowerBound,
                        intervalMaximum: interval.upperBound,
                        peripheralLatency: peripheralLatency
                    )
                )
            case .pair: .pair(policy)
            case .disconnect: .disconnect
            }
    }
}

extension PortAnswer {
    fileprivate init(_ answer: HostAnswer) {
        self =
            switch answer {
            case .gatt(let outcome): .gatt(outcome)
            case .database(let database): .database(database)
            case .rssi(let rssi): .rssi(rssi)
            default: .done
            }
    }
}

// Serving and advertising.
extension HostAdapter {
    package func publish(_ definition: GATT.ServiceDefinition) throws -> GATT.DiscoveredService {
        try onHost { try $0.publish(definition) }
    }

    package func unpublish(_ service: GATT.DiscoveredService) throws {
        try onHost { try $0.unpublish(service) }
    }

    package func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle?
    ) {
        onHost { $0.answer(request, result, at: handle) }
    }

    package func notify(
        _ value: GATT.AttributeValue,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<Void>
    ) {
        onHost { _ = $0.begin([value], on: link, then: done(completion)) }
    }

    package func advertise(
        _ advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) -> RequestIdentifier {
        onHost { $0.beginAdvertising(advertising, then: done(completion)) }
    }

    package func update(
        _ set: RequestIdentifier,
        to advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) {
        onHost { _ = $0.beginUpdate(of: set, to: advertising, then: done(completion)) }
    }

    package func endAdvertising(_ set: RequestIdentifier) { onHost { $0.endAdvertising(set) } }

    private func done(_ completion: @escaping PortCompletion<Void>) -> BluetoothHost.Completion {
        { completion($0.map { _ in }.mapError(errorOfAdvertising)) }
    }
}

/// Returns the port's error for a failed request, which may be a request to advertise.
private func errorOfAdvertising(_ error: any Error) -> any Error {
    guard let error = error as? AdvertisingError else { return portError(error) }
    return switch error {
    case .tooManySets: PortError.outOfSpace
    case .refused(let code): PortError(HostError.controller(code))
    case .unanswered: PortError.unanswered
    case .ended: PortError.refused(.unknown)
    case .dataTooLong, .malformedData, .flagsInScanResponse, .unsupported:
        PortError.other(error.description)
    }
}

// Channels.
extension HostAdapter {
    package func openChannel(
        _ psm: L2CAP.SPSM,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<any PortChannel>
    ) {
        let request = ChannelRequest.open(psm, .credit, count: 1, L2CAP.ChannelOptions())
        onHost { host in
            _ = host.begin(request, on: link) { [self] result in
                completion(
                    result.mapError(portError).flatMap { answer in
                        // The channel may have ended already.
                        channel(in: answer).map { .success($0) }
                            ?? .failure(PortError.linkEnded(.endedByPeer))
                    }
                )
            }
        }
    }

    package func listen(
        requiresEncryption: Bool,
        accepted: @escaping @Sendable (any PortChannel) -> Void
    ) throws -> L2CAP.SPSM {
        let key = try onHost { host in
            try host.openListener(
                requirement: requiresEncryption ? .encrypted : .open,
                options: L2CAP.ChannelOptions(),
                backlog: Self.backlog
            )
        }
        state.withLock { $0.listeners[key.spsm] = key }
        accept(key, accepted)
        return key.spsm
    }

    /// Takes the next channel of a listener, and then waits for another one.
    private func accept(
        _ key: ListenerKey,
        _ accepted: @escaping @Sendable (any PortChannel) -> Void
    ) {
        onHost { host in
            _ = host.beginAccept(key) { [weak self] result in
                guard let self, case .success(let answer) = result,
                    state.withLock({ $0.listeners[key.spsm] == key })
                else { return }
                if let channel = channel(in: answer) { accepted(channel) }
                accept(key, accepted)
            }
        }
    }

    package func stopListening(_ psm: L2CAP.SPSM) {
        guard let key = state.withLock({ $0.listeners.removeValue(forKey: psm) }) else { return }
        onHost { $0.closeListener(key) }
    }

    private func channel(in answer: HostAnswer) -> HostChannel? {
        guard case .channels(let numbers) = answer, let number = numbers.first else { return nil }
        return onHost { HostChannel(number, of: $0) }
    }
}

// Records.
extension HostAdapter {
    package func record(_ name: String) -> [UInt8]? { onHost { $0.applicationRecord(name) } }

    package func storeRecord(_ bytes: [UInt8]?, _ name: String) -> Bool {
        onHost { $0.storeApplicationRecord(bytes, name) }
    }
}

// Events.
extension HostAdapter: HostObserver {
    package func hostDid(_ event: HostEvent) {
        guard let observer = state.withLock({ $0.observer }), let event = translation(of: event)
        else { return }
        observer.portDid(event)
    }

    private func translation(of event: HostEvent) -> PortEvent? {
        switch event {
        case .notified(let link, let handle, let value): .notified(link, handle, value)
        case .advertised(let scan, let advertisement): .advertised(scan: scan, advertisement)
        case .stateChanged(let state): .stateChanged(PortState(state))
        case .linkOpened(let link, let address, let role):
            .linkOpened(link, identifier(of: address), isIncoming: role == .peripheral)
        case .servicesChanged(let link, let ranges, let isReported):
            .servicesChanged(link, ranges, isReported: isReported)
        case .databaseOutdated(let link): .databaseOutdated(link)
        case .mtuChanged(let link, let mtu): .mtuChanged(link, mtu)
        case .served(let link, .asked(let id, let question)): .asked(link, id, question)
        case .served(let link, .subscribed(let handle, let kind)): .subscribed(link, handle, kind)
        case .served, .parametersChanged: nil
        case .advertisingEnded(let set, _): .advertisingEnded(set)
        case .security: .bondsChanged
        case .disconnected(let link, let error): .linkClosed(link, PortError(error))
        }
    }
}

extension PortState {
    fileprivate init(_ state: AdapterState) {
        self =
            switch state {
            case .starting: .starting
            case .ready: .ready
            case .resetting: .resetting
            case .unavailable(.unsuitable): .unsuitable
            case .unavailable: .unavailable
            case .closed: .closed
            }
    }
}
