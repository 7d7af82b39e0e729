// SPDX-License-Identifier: Apache-2.0

/// One scan for all who want one.
///
/// Core Bluetooth has one scan for each manager: another replaces it. So it is for all the services that
/// somebody wants, with duplicates as soon as somebody wants those, and stops when nobody wants anything.
struct ScanPlan {
    /// How many wishes there may be at a time.
    static let wishLimit = 256

    private var wishes: [Int: ScanWish] = [:]
    private var current: ScanWish?
    private var isPossible = false
    /// Whether somebody has come who may have missed what the scan has reported already.
    private var isStale = false

    /// What is being scanned for.
    var running: ScanWish? { current }

    /// Somebody wants a scan from now on, or another one than before; nil for none any more. False if
    /// there are too many already.
    mutating func set(_ wish: ScanWish?, for number: Int) -> Bool {
        guard wish == nil || wishes[number] != nil || wishes.count < Self.wishLimit else {
            return false
        }
        if wish != nil, wishes[number] == nil { isStale = true }
        wishes[number] = wish
        return true
    }

    /// Whether Bluetooth is there to scan with. A scan ends by itself when it is not.
    mutating func setPossible(_ isPossible: Bool) {
        self.isPossible = isPossible
        if !isPossible { current = nil }
    }

    /// The system goes on with a scan of an earlier process's.
    mutating func restored(_ wish: ScanWish) {
        current = wish
    }

    /// What to do so that the scan is as it should be; nil if it is.
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

/// A scan that somebody wants.
struct ScanWish: Hashable, Sendable {
    /// For which services; nil for everything around.
    var services: Set<BluetoothID>?
    /// Whether every packet is to be reported, and not only the first of each device.
    var reportsDuplicates = false

    /// One that finds all that both would.
    func union(_ other: ScanWish) -> ScanWish {
        var both = ScanWish(services: nil, reportsDuplicates: false)
        if let services, let others = other.services { both.services = services.union(others) }
        both.reportsDuplicates = reportsDuplicates || other.reportsDuplicates
        return both
    }
}

/// What a plan for scans wants done.
enum ScanAction: Hashable, Sendable {
    /// Scan like this, instead of what there was.
    case scan(ScanWish)
    /// Do not scan.
    case stop
}
