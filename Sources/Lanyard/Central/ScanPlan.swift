// SPDX-License-Identifier: Apache-2.0

/// The one scan that serves all requests.
///
/// Core Bluetooth has one scan for each manager, and another call replaces it. The scan therefore
/// covers the services of all requests, reports duplicates if any request needs them, and stops
/// when there is no request.
struct ScanPlan {
    /// The maximum number of simultaneous requests.
    static let wishLimit = 256

    private var wishes: [Int: ScanWish] = [:]
    private var current: ScanWish?
    private var isPossible = false
    /// Whether a new request may have missed devices that the scan has already reported.
    private var isStale = false

    /// The scan that is running.
    var running: ScanWish? { current }

    /// Adds, changes or, with `nil`, removes the request with this number. Returns `false` if there
    /// are too many requests.
    mutating func set(_ wish: ScanWish?, for number: Int) -> Bool {
        guard wish == nil || wishes[number] != nil || wishes.count < Self.wishLimit else {
            return false
        }
        if wish != nil, wishes[number] == nil { isStale = true }
        wishes[number] = wish
        return true
    }

    /// Sets whether Bluetooth is available. A scan ends by itself when it is not.
    mutating func setPossible(_ isPossible: Bool) {
        self.isPossible = isPossible
        if !isPossible { current = nil }
    }

    /// Notes that the system continues the scan of an earlier process.
    mutating func restored(_ wish: ScanWish) {
        current = wish
    }

    /// Returns the action that makes the scan match the requests; `nil` if it already does.
    mutating func next() -> ScanAction? {
        guard isPossible else { return nil }
        let wanted = union
        let mustBegin = isStale && wanted?.reportsDuplicates == false
        isStale = false
        guard wanted != current || mustBegin else { return nil }
        current = wanted
        return wanted.map { .scan($0) } ?? .stop
    }

    private var union: ScanWish? {
        wishes.values.reduce(nil) { union, wish in
            guard let union else { return wish }
            return union.union(wish)
        }
    }
}

/// A request for a scan.
struct ScanWish: Hashable, Sendable {
    /// The services to scan for; `nil` for all devices.
    var services: Set<BluetoothID>?
    /// Whether the scan reports every packet, not only the first of each device.
    var reportsDuplicates = false

    /// Returns a request that finds everything that the two find.
    func union(_ other: ScanWish) -> ScanWish {
        var both = ScanWish(services: nil, reportsDuplicates: false)
        if let services, let others = other.services { both.services = services.union(others) }
        both.reportsDuplicates = reportsDuplicates || other.reportsDuplicates
        return both
    }
}

/// An action of a scan plan.
enum ScanAction: Hashable, Sendable {
    /// Start this scan, in place of the current one.
    case scan(ScanWish)
    /// Stop the scan.
    case stop
}
