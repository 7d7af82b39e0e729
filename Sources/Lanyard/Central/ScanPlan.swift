// SPDX-License-Identifier: Apache-2.0

/// The one scan that serves all requests.
///
/// A manager of Core Bluetooth has one scan, and starting another one replaces it. The scan
/// therefore covers the services of all requests, reports duplicates if any request needs them, and
/// stops when there is no request.
struct ScanPlan {
    /// The maximum number of simultaneous requests.
    static let scanLimit = 256

    private var scans: [Int: PlannedScan] = [:]
    private var current: PlannedScan?
    private var isPossible = false
    /// Whether the app is in the background.
    private(set) var isInBackground = false
    /// Whether a request was added since `next()` last planned the scan. A scan without duplicates
    /// does not report a device again, so it must start again for the new request.
    private var isStale = false

    var running: PlannedScan? { current }

    /// Adds, changes or, with `nil`, removes the request with this number. Returns `false` if there
    /// are too many requests.
    mutating func set(_ scan: PlannedScan?, for number: Int) -> Bool {
        guard scan == nil || scans[number] != nil || scans.count < Self.scanLimit else {
            return false
        }
        if scan != nil, scans[number] == nil { isStale = true }
        scans[number] = scan
        return true
    }

    /// Sets whether Bluetooth is available. The system ends the scan when Bluetooth becomes
    /// unavailable.
    mutating func setPossible(_ isPossible: Bool) {
        self.isPossible = isPossible
        if !isPossible { current = nil }
    }

    /// Sets whether the app is in the background, where the system reports no duplicates, and
    /// nothing to a scan without services.
    mutating func setInBackground(_ isInBackground: Bool) {
        self.isInBackground = isInBackground
    }

    /// Records that the system continues the scan of an earlier process.
    mutating func restored(_ scan: PlannedScan) {
        current = scan
    }

    /// Returns the action that makes the scan match the requests; `nil` if it already does, or if
    /// Bluetooth is not available.
    mutating func next() -> ScanAction? {
        guard isPossible else { return nil }
        let wanted = union
        let mustBegin = isStale && wanted?.reportsDuplicates == false
        isStale = false
        guard wanted != current || mustBegin else { return nil }
        current = wanted
        return wanted.map { .scan($0) } ?? .stop
    }

    private var union: PlannedScan? {
        let possible =
            isInBackground ? scans.values.compactMap(\.inBackground) : Array(scans.values)
        return possible.reduce(nil) { union, scan in
            guard let union else { return scan }
            return union.union(scan)
        }
    }
}

/// A request for a scan.
package struct PlannedScan: Hashable, Sendable {
    /// The services to scan for; `nil` for all devices.
    package var services: Set<BluetoothID>?
    /// Whether the scan reports every packet, not only the first of each device.
    package var reportsDuplicates = false

    package init(services: Set<BluetoothID>?, reportsDuplicates: Bool = false) {
        self.services = services
        self.reportsDuplicates = reportsDuplicates
    }

    /// The request as it can be served in the background; `nil` if it would find nothing there.
    var inBackground: PlannedScan? {
        services.map { PlannedScan(services: $0, reportsDuplicates: false) }
    }

    /// Returns a request that finds everything that the two requests find.
    func union(_ other: PlannedScan) -> PlannedScan {
        var both = PlannedScan(services: nil, reportsDuplicates: false)
        if let services, let others = other.services { both.services = services.union(others) }
        both.reportsDuplicates = reportsDuplicates || other.reportsDuplicates
        return both
    }
}

/// An action of a scan plan.
enum ScanAction: Hashable, Sendable {
    /// Start this scan, in place of the current one.
    case scan(PlannedScan)
    /// Stop the scan.
    case stop
}
