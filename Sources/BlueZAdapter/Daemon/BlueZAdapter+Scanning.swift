// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

/// A scan of the port.
struct DaemonScan: Sendable {
    /// The maximum number of devices that a scan remembers as reported. After that many, all
    /// devices are reported again.
    static let reportedLimit = 16_384

    let parameters: PortScan
    let failed: @Sendable (any Error) -> Void
    var reported: Set<DBusObjectPath> = []

    /// Returns whether the scan reports the device now, and remembers it as reported.
    mutating func reports(_ path: DBusObjectPath) -> Bool {
        if reported.count >= Self.reportedLimit { reported = [] }
        return reported.insert(path).inserted || parameters.reportsDuplicates
    }
}

/// The discovery of the daemon for this program. All scans, and all connection requests for unknown
/// devices, share it.
struct DaemonDiscovery: Sendable {
    /// The time after which a refused start is repeated. The daemon refuses a start while it is
    /// busy with another change.
    static let retryInterval = Duration.seconds(1)
    /// The minimum time between two starts, if the second one is for a connection attempt.
    static let restartInterval = Duration.seconds(1)

    enum Phase: Sendable { case stopped, starting, running, stopping }

    var phase = Phase.stopped
    /// The filter that was sent to the daemon.
    var filter: DBusValue?
    var timer: (any HostTimer)?
    /// The time of the latest start.
    var start: Instant?
    /// Whether a connection attempt has begun since the latest start. The adapter then restarts the
    /// discovery: Linux connects when it receives the device, but the controller reports each
    /// device only once after a start, and Linux itself restarts a discovery only after 10.24
    /// seconds.
    var isStale = false

    var isRunning: Bool { phase == .running || phase == .starting }
}

extension BlueZAdapter {
    package nonisolated func startScan(
        _ scan: PortScan,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> RequestIdentifier {
        onThread { adapter in
            let id = RequestIdentifier(rawValue: adapter.nextNumber())
            guard adapter.scans.count < Self.scanCountLimit else {
                adapter.thread.perform { failed(PortError.tooManyRequests) }
                return id
            }
            adapter.scans[id] = DaemonScan(parameters: scan, failed: failed)
            adapter.thread.perform { [weak adapter] in
                adapter?.onThread {
                    $0.updateDiscovery()
                    $0.reportPresentDevices(to: id)
                }
            }
            return id
        }
    }

    package nonisolated func endScan(_ scan: RequestIdentifier) {
        onThread { adapter in
            guard adapter.scans.removeValue(forKey: scan) != nil else { return }
            adapter.updateDiscovery()
        }
    }

    private var needsDiscovery: Bool {
        !scans.isEmpty || connectionRequests.values.contains { $0.phase == .awaitingDevice }
    }

    /// The filter of the scans. The daemon merges this filter with those of other programs, so the
    /// daemon also reports devices that match only another program's filter.
    private var filter: DBusValue {
        let duplicates = scans.values.contains { $0.parameters.reportsDuplicates }
        return .properties(["Transport": .string("le"), "DuplicateData": .boolean(duplicates)])
    }

    /// Starts, restarts or stops the discovery, or changes its filter: one step at a time.
    func updateDiscovery() {
        guard state == .ready, let adapterPath else { return }
        switch discovery.phase {
        case .stopped where needsDiscovery: startDiscovery(at: adapterPath)
        case .running where !needsDiscovery: stopDiscovery(at: adapterPath)
        case .running where discovery.isStale: restartDiscovery(at: adapterPath)
        case .running where discovery.filter != filter: setFilter(at: adapterPath)
        default: break
        }
    }

    private func stopDiscovery(at path: DBusObjectPath) {
        discovery.phase = .stopping
        call(BlueZ.call(path, BlueZ.Interface.adapter, "StopDiscovery")) { adapter, _ in
            guard adapter.discovery.phase == .stopping else { return }
            adapter.discovery.phase = .stopped
            adapter.updateDiscovery()
        }
    }

    /// Stops the discovery, so that it starts again. If `restartInterval` has not passed since the
    /// latest start, this happens later.
    private func restartDiscovery(at path: DBusObjectPath) {
        let next = (discovery.start ?? thread.now) + DaemonDiscovery.restartInterval
        if next > thread.now { updateDiscovery(at: next) } else { stopDiscovery(at: path) }
    }

    private func updateDiscovery(at time: Instant) {
        let timer =
            discovery.timer
            ?? thread.makeTimer { [weak self] in self?.onThread { $0.updateDiscovery() } }
        discovery.timer = timer
        timer.set(to: time)
    }

    private func setFilter(at path: DBusObjectPath) {
        discovery.filter = filter
        send(BlueZ.call(path, BlueZ.Interface.adapter, "SetDiscoveryFilter", [filter]))
    }

    private func startDiscovery(at path: DBusObjectPath) {
        discovery.phase = .starting
        (discovery.start, discovery.isStale) = (thread.now, false)
        setFilter(at: path)
        call(BlueZ.call(path, BlueZ.Interface.adapter, "StartDiscovery")) { adapter, result in
            guard adapter.discovery.phase == .starting else { return }
            switch result {
            case .success:
                adapter.discovery.phase = .running
                adapter.updateDiscovery()
            case .failure(let error): adapter.discoveryRefused(error)
            }
        }
    }

    /// Repeats a refused start later. If the daemon does not support the discovery, the scans fail
    /// instead.
    private func discoveryRefused(_ error: DBusError) {
        discovery.phase = .stopped
        guard !DaemonError.isNamed("NotSupported", error) else {
            let ended = scans
            scans = [:]
            for scan in ended.values { scan.failed(DaemonError.port(error)) }
            return
        }
        updateDiscovery(at: thread.now + DaemonDiscovery.retryInterval)
    }

    /// Starts the discovery again if the daemon has ended it without a request.
    func discoveringChanged() {
        guard let adapterPath, discovery.phase == .running,
            objects.properties(adapterPath, BlueZ.Interface.adapter)?["Discovering"]?.boolean
                == false
        else { return }
        // The daemon also reports `false` between two cycles of a discovery that continues. A
        // second start is then refused with InProgress, which has no effect.
        call(BlueZ.call(adapterPath, BlueZ.Interface.adapter, "StartDiscovery")) { _, _ in }
    }

    // MARK: Discoveries

    /// Reports a device to the scans, and continues the connection requests that wait for the
    /// device.
    func deviceReceived(_ path: DBusObjectPath) {
        guard state == .ready, let adapterPath, path.isBelow(adapterPath) else { return }
        for id in scans.keys { report(path, to: id) }
        guard let address = device(at: path)?.address else { return }
        for (id, request) in connectionRequests
        where request.address == address && request.phase == .awaitingDevice {
            attempt(id)
        }
    }

    /// Reports the devices that the daemon already receives, for other scans or other programs.
    private func reportPresentDevices(to scan: RequestIdentifier) {
        guard state == .ready, let adapterPath, scans[scan] != nil else { return }
        for path in objects.paths(with: BlueZ.Interface.device, below: adapterPath) {
            report(path, to: scan)
        }
    }

    private func report(_ path: DBusObjectPath, to scan: RequestIdentifier) {
        // A device without a signal strength is a stored one that is not received now.
        guard let device = device(at: path), device.rssi != nil, !device.isClassicOnly,
            let advertisement = device.advertisement, scans[scan]?.reports(path) == true
        else { return }
        report(.advertised(scan: scan, advertisement))
    }
}
