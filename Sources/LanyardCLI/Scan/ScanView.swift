// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

/// The state of the live table of a scan: the devices, and the choices that keys change.
struct ScanView: Sendable {
    /// The order of the devices.
    enum Order: CaseIterable, Sendable {
        case signal, name, seen

        /// The order in words, for the last line.
        var words: String {
            switch self {
            case .signal: "by signal"
            case .name: "by name"
            case .seen: "by time"
            }
        }

        fileprivate var next: Order {
            let all = Self.allCases
            return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
        }
    }

    /// The maximum length of a filter in characters.
    static let filterLimit = 40

    private(set) var devices = DiscoveredDevices()
    private(set) var order = Order.signal
    /// The text that the shown devices contain in their name, address or summary.
    private(set) var filter = ""
    /// Whether the keys change the filter.
    private(set) var isFiltering = false
    /// The devices at the time of the pause; `nil` if the table is not paused.
    private(set) var paused: (devices: [DiscoveredDevice], at: Instant)?

    /// Whether the table shows the signal over time instead of the services.
    private(set) var showsPlot: Bool

    init(showsPlot: Bool = false) { self.showsPlot = showsPlot }

    /// Receives an advertisement.
    mutating func receive(_ advertisement: Advertisement, at now: Instant) {
        devices.receive(advertisement, at: now)
    }

    /// Receives the bytes of typed keys. Returns whether the display ends.
    mutating func receive(keys bytes: [UInt8], at now: Instant) -> Bool {
        // A key such as an arrow sends an escape sequence, which has no meaning here.
        if bytes.count > 1, bytes.first == Self.escape { return false }
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if isFiltering {
                receive(filterKey: scalar)
            } else if receive(key: scalar, at: now) {
                return true
            }
        }
        return false
    }

    private mutating func receive(key: Unicode.Scalar, at now: Instant) -> Bool {
        switch key {
        case "q", "Q": return true
        case "s": order = order.next
        case "f", "/": isFiltering = true
        case "g": showsPlot.toggle()
        case "p", " ": paused = paused == nil ? (devices.sorted, now) : nil
        case Unicode.Scalar(Self.escape): filter = ""
        default: break
        }
        return false
    }

    private mutating func receive(filterKey key: Unicode.Scalar) {
        switch key {
        case "\n", "\r": isFiltering = false
        case Unicode.Scalar(Self.escape): (filter, isFiltering) = ("", false)
        case "\u{7F}", "\u{8}": if !filter.isEmpty { filter.removeLast() }
        default:
            guard key.isPrintable, filter.count < Self.filterLimit else { return }
            filter.unicodeScalars.append(key)
        }
    }

    private static let escape: UInt8 = 0x1B

    // MARK: The shown devices

    /// Returns the time of the table: that of the pause, or the current time.
    func time(at now: Instant) -> Instant { paused?.at ?? now }

    /// The devices to show, in order.
    var shown: [DiscoveredDevice] {
        let all = paused?.devices ?? devices.sorted
        let wanted = filter.lowercased()
        let passing = wanted.isEmpty ? all : all.filter { $0.searched.contains(wanted) }
        switch order {
        case .signal: return passing
        case .name:
            return passing.sorted {
                ($0.nameOrder, $0.address.value) < ($1.nameOrder, $1.address.value)
            }
        case .seen:
            return passing.sorted {
                ($0.lastSeen, $1.address.value) > ($1.lastSeen, $0.address.value)
            }
        }
    }

    /// The number of devices, including those that the filter hides.
    var total: Int { paused?.devices.count ?? devices.count }
}

extension DiscoveredDevice {
    /// The text in which the filter searches.
    fileprivate var searched: String {
        "\(name ?? "") \(AddressText.describe(address)) \(summary)".lowercased()
    }

    /// The sort key of the order by name. Devices without a name come last.
    fileprivate var nameOrder: String { name.map { "0" + $0.lowercased() } ?? "1" }
}
