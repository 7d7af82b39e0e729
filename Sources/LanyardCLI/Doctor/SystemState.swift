// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAdapters

/// The state of a computer that a diagnosis depends on, as values, so that a test can describe any
/// computer.
struct SystemState: Equatable, Sendable {
    /// A switch that turns a radio off: rfkill.
    struct RadioSwitch: Equatable, Sendable {
        /// The name of the entry, such as `rfkill3`.
        let entry: String
        /// The radio that the switch turns off: `hci0`, or a name that a laptop's firmware gives.
        let name: String
        /// Whether the switch is off in software.
        let isOffInSoftware: Bool
        /// Whether the switch is off because of a key, a hardware switch, or the firmware.
        let isHardBlocked: Bool
    }

    /// A serial port with a device.
    struct SerialPort: Equatable, Sendable {
        /// The path, such as `/dev/ttyACM0`.
        let path: String
        /// The product name of a USB device; `nil` for others.
        let product: String?
    }

    /// The adapter that the options, the environment or the default choose.
    enum Choice: Equatable, Sendable {
        /// The source of the choice.
        enum Source: String, Sendable {
            case option = "--adapter"
            case environment = "LANYARD_ADAPTER"
            /// The default: the adapter that `SystemAdapter.preferred(of:)` returns.
            case system = "default"
        }

        case none
        /// The text names no adapter, for this reason.
        case malformed(String, Source, ProgramFailure)
        case chosen(AdapterChoice, Source)
    }

    /// The result of opening the chosen adapter and starting a host on it.
    enum Probe: Equatable, Sendable {
        /// The adapter was not opened.
        case notTried
        /// The adapter answered after this time.
        case succeeded(Duration)
        case failed(ProgramFailure)
    }

    /// The directory with the bonds of the chosen adapter.
    enum Store: Equatable, Sendable {
        /// There is no directory, as for a virtual adapter.
        case none
        /// The directory does not exist, and can or cannot be made.
        case absent(String, canBeMade: Bool)
        case usable(String)
        /// Another process holds the directory; `nil` if the process is not visible.
        case held(String, by: SystemProcess?)
        case unusable(String, ProgramFailure)
    }

    /// Whether this is Linux. Elsewhere the operating system manages Bluetooth.
    var isLinux = true
    var kernel = SystemBluetooth.Support.available
    /// The adapters of the kernel.
    var adapters: [SystemAdapter] = []
    var switches: [RadioSwitch] = []
    /// Whether this process may take an adapter from the kernel (CAP_NET_ADMIN); `nil` if unknown.
    var mayTakeAdapters: Bool?
    /// The file of the running program; `nil` if unknown.
    var program: String?
    var daemons: [SystemProcess] = []
    var serialPorts: [SerialPort] = []
    var choice = Choice.none
    var probe = Probe.notTried
    var store = Store.none
}
