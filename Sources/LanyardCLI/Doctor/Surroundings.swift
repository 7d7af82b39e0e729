// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAdapters

/// All that a diagnosis goes by: what a computer says of itself, as values, so that every computer there
/// may be can be written down in a test.
struct Surroundings: Equatable, Sendable {
    /// A switch that keeps a radio silent: rfkill.
    struct RadioSwitch: Equatable, Sendable {
        /// `rfkill3`.
        let entry: String
        /// What it switches: `hci0`, or the name that a laptop's maker gave it.
        let name: String
        /// Off because somebody wants it so.
        let isOffByWish: Bool
        /// Off because of a key, a switch, or the firmware.
        let isOffByHardware: Bool
    }

    /// A serial port that something may be connected to.
    struct SerialPort: Equatable, Sendable {
        /// `/dev/ttyACM0`.
        let path: String
        /// What a USB device says that it is; nil for others.
        let product: String?
    }

    /// The adapter that Lanyard is told to use.
    enum Choice: Equatable, Sendable {
        /// Where the text came from.
        enum Source: String, Sendable {
            case option = "--adapter"
            case environment = "LANYARD_ADAPTER"
            /// Nobody said anything, so it is the first that may be taken.
            case system = "default"
        }

        case none
        /// The text names none; why not, and what would.
        case malformed(String, Source, ProgramFailure)
        case chosen(AdapterChoice, Source)
    }

    /// What came of opening the chosen adapter, and starting it.
    enum Probe: Equatable, Sendable {
        /// It was not tried.
        case notTried
        /// It answered, after this time.
        case succeeded(Duration)
        case failed(ProgramFailure)
    }

    /// The directory with the bonds of the chosen adapter.
    enum Store: Equatable, Sendable {
        /// There is none, as for a virtual adapter.
        case none
        /// It is not there yet, and can be made, or not.
        case absent(String, canBeMade: Bool)
        case usable(String)
        /// Another process has it; which, if that can be seen.
        case held(String, by: SystemProcess?)
        case unusable(String, ProgramFailure)
    }

    /// Whether this is Linux: elsewhere the system's Bluetooth is the framework's affair.
    var isLinux = true
    var kernel = SystemBluetooth.Support.available
    /// The adapters that the kernel has.
    var adapters: [SystemAdapter] = []
    var switches: [RadioSwitch] = []
    /// Whether this process may take an adapter from the kernel (CAP_NET_ADMIN); nil if unknown.
    var mayTakeAdapters: Bool?
    /// The file of the program that asks; nil if unknown.
    var program: String?
    var daemons: [SystemProcess] = []
    var serialPorts: [SerialPort] = []
    var choice = Choice.none
    var probe = Probe.notTried
    var store = Store.none
}
