// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A kernel whose adapters are values, and which refuses calls as Linux does
/// (net/bluetooth/hci_sock.c).
///
/// Its user channels are real descriptors. Their far ends are the adapters, packet by packet. Its
/// clock moves only while a call waits.
final class ModelKernel: BluetoothKernel {
    /// The state of an adapter.
    enum Condition: Equatable {
        /// The kernel sets the adapter up until this instant.
        case settingUp(until: Instant)
        case down
        case up(connections: Int)
        case taken
    }

    struct Adapter {
        var condition = Condition.down
        var address: UInt64 = 0
        /// ERFKILL, or another error with which the adapter cannot be started.
        var startError: Int32?
        /// The number of times that another program brings the adapter up again after it was
        /// brought down.
        var revivals = 0
        /// Whether a process that is being started holds a copy of the open user channel.
        var isCopied = false
        fileprivate var farEnd: Descriptor?
        /// The program's end, as long as the program holds it. The model does not ask the system
        /// whether it is closed, because processes that other tests start have copies of it for a
        /// moment.
        fileprivate weak var nearEnd: Descriptor?

        /// Whether the program that took the adapter has released it.
        fileprivate var isReturned: Bool { farEnd != nil && nearEnd == nil && !isCopied }

        init(
            condition: Condition = .down,
            address: UInt64 = 0,
            startError: Int32? = nil,
            revivals: Int = 0
        ) {
            self.condition = condition
            self.address = address
            self.startError = startError
            self.revivals = revivals
        }
    }

    /// A call that changes something.
    enum Call: Equatable {
        case take(UInt16)
        case bringDown(UInt16)
        case bringUp(UInt16)
    }

    struct State {
        var now = Instant.zero
        var adapters: [UInt16: Adapter] = [:]
        var isPermitted = true
        /// The error of every call, as on a system without Bluetooth.
        var refusal: Int32?
        /// A change that occurs during the next wait, and only then.
        var onWait: (@Sendable (inout State) -> Void)?
        fileprivate(set) var calls: [Call] = []
        fileprivate var listeners: [Descriptor] = []

        /// Updates an adapter whose program may have released it.
        fileprivate mutating func settle() {
            for (index, adapter) in adapters {
                switch adapter.condition {
                case .taken where adapter.isReturned:
                    adapters[index]?.condition = .down
                    adapters[index]?.farEnd = nil
                case .settingUp(let end) where end <= now: adapters[index]?.condition = .down
                default: break
                }
            }
        }
    }

    let state: Mutex<State>
    let tree: FileTree

    init(_ adapters: [UInt16: Adapter] = [:], files: FileTree = FileTree()) {
        state = Mutex(State(adapters: adapters))
        tree = files
    }

    var now: Instant { state.withLock { $0.now } }
    var files: any SystemFiles { tree }

    /// All calls so far that change something.
    var calls: [Call] { state.withLock { $0.calls } }

    func condition(of index: UInt16) -> Condition? {
        state.withLock { state in
            state.settle()
            return state.adapters[index]?.condition
        }
    }

    func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
    }

    /// Returns the adapter's end of the open user channel.
    func farEnd(of index: UInt16) -> Descriptor? {
        state.withLock { $0.adapters[index]?.farEnd }
    }

    /// Unplugs an adapter, and announces it.
    func unplug(_ index: UInt16) {
        state.withLock { $0.adapters[index] = nil }
        announce(0x0005, index)
    }

    /// Plugs an adapter in, or releases one, and announces it.
    func plug(_ index: UInt16, _ adapter: Adapter = Adapter()) {
        state.withLock { $0.adapters[index] = adapter }
        announce(0x0004, index)
    }

    /// Ends all listeners' announcements.
    func endAnnouncements() {
        state.withLock { $0.listeners = [] }
    }

    /// Sends an announcement to all listeners.
    func announce(_ code: UInt16, _ index: UInt16) {
        let message = ManagementMessage(command: code, index: index).bytes
        state.withLock { state in
            for listener in state.listeners {
                _ = message.withUnsafeBytes(listener.sendWithoutSignal)
            }
        }
    }
}

// MARK: - System calls

extension ModelKernel {
    func adapterIndices() throws(SystemError) -> [UInt16] {
        let (indices, refusal) = state.withLock { ($0.adapters.keys.sorted(), $0.refusal) }
        if let refusal { throw SystemError(code: refusal) }
        return indices
    }

    func record(of index: UInt16) throws(SystemError) -> SystemAdapterRecord {
        let adapter = try adapter(index)
        var bytes = [UInt8](repeating: 0, count: SystemAdapterRecord.length)
        let address = DeviceAddress(value: adapter.address, kind: .public)
        bytes.replaceSubrange(10..<16, with: address.littleEndianBytes)
        let flags: UInt32 =
            switch adapter.condition {
            case .up, .taken: 1
            case .settingUp: 2
            case .down: 0
            }
        withUnsafeBytes(of: flags) { bytes.replaceSubrange(16..<20, with: $0) }
        bytes[20] = SystemAdapterRecord.Bus.usb.rawValue
        bytes[25] = 0x60
        guard let record = SystemAdapterRecord(bytes) else { throw SystemError(code: EIO) }
        return record
    }

    func connectionCount(of index: UInt16) throws(SystemError) -> Int {
        guard case .up(let connections) = try adapter(index).condition else { return 0 }
        return connections
    }

    func managedIndices() throws(SystemError) -> Set<UInt16> {
        let managed = try adapterIndices().filter { index in
            switch condition(of: index) {
            case .down, .up: true
            case .settingUp, .taken, nil: false
            }
        }
        return Set(managed)
    }

    func bringUp(_ index: UInt16) throws(SystemError) {
        let adapter = try adapter(index, for: .bringUp(index))
        // This applies to a taken adapter too, because it is running.
        guard adapter.condition == .down else { throw SystemError(code: EALREADY) }
        state.withLock { $0.adapters[index]?.condition = .up(connections: 0) }
    }

    func bringDown(_ index: UInt16) throws(SystemError) {
        let adapter = try adapter(index, for: .bringDown(index))
        guard adapter.condition != .taken else { throw SystemError(code: EBUSY) }
        let isRevived = adapter.revivals > 0
        state.withLock { state in
            state.adapters[index]?.revivals -= isRevived ? 1 : 0
            state.adapters[index]?.condition = isRevived ? .up(connections: 0) : .down
        }
    }

    func openUserChannel(_ index: UInt16) throws(SystemError) -> Descriptor {
        let adapter = try adapter(index, for: .take(index))
        switch adapter.condition {
        // Linux returns EUSERS only in the moment before a taken adapter is up. The model has no
        // such moment.
        case .settingUp, .up, .taken: throw SystemError(code: EBUSY)
        case .down: break
        }
        if let error = adapter.startError { throw SystemError(code: error) }
        let (near, far) = try Descriptor.packetPair()
        state.withLock { state in
            state.adapters[index]?.condition = .taken
            state.adapters[index]?.farEnd = far
            state.adapters[index]?.nearEnd = near
        }
        return near
    }

    func openAnnouncements() throws(SystemError) -> Descriptor {
        let (near, far) = try Descriptor.packetPair()
        state.withLock { $0.listeners.append(far) }
        return near
    }

    func awaitAnnouncement(on announcements: Descriptor?, limit: Duration) {
        state.withLock { state in
            state.now = state.now + limit
            guard let onWait = state.onWait else { return }
            state.onWait = nil
            onWait(&state)
        }
    }

    /// Returns the adapter in its current state. The call is recorded if it changes something.
    private func adapter(_ index: UInt16, for call: Call? = nil) throws(SystemError) -> Adapter {
        let (adapter, refusal, isPermitted) = state.withLock { state in
            if let call { state.calls.append(call) }
            state.settle()
            return (state.adapters[index], state.refusal, state.isPermitted)
        }
        if let refusal { throw SystemError(code: refusal) }
        // The permission comes first, so that the error does not reveal whether the adapter exists.
        guard call == nil || isPermitted else { throw SystemError(code: EPERM) }
        guard let adapter else { throw SystemError(code: ENODEV) }
        return adapter
    }
}

extension Descriptor {
    /// Returns two joined sockets that keep packets apart, as a user channel does.
    static func packetPair() throws(SystemError) -> (Descriptor, Descriptor) {
        #if canImport(Glibc)
            let kind = Int32(SOCK_SEQPACKET.rawValue)
        #elseif !os(Linux)
            let kind = SOCK_DGRAM
        #else
            let kind = SOCK_SEQPACKET
        #endif
        var numbers: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, kind, 0, &numbers) == 0 else { throw .last }
        let pair = (Descriptor(owning: numbers[0]), Descriptor(owning: numbers[1]))
        pair.0.makeNonBlocking()
        pair.1.makeNonBlocking()
        return pair
    }

    /// Returns the next packet, or `nil` if there is none.
    func readPacket() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(number, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }
}

/// Files, directories and links by their paths.
struct FileTree: SystemFiles {
    var texts: [String: String] = [:]
    var links: [String: String] = [:]

    func text(of path: String) -> String? { texts[path] }

    func names(in directory: String) -> [String] {
        let paths = Array(texts.keys) + Array(links.keys)
        let inside = paths.filter { $0.hasPrefix(directory + "/") }
        let names = inside.compactMap { path in
            path.dropFirst(directory.count + 1).split(separator: "/").first.map(String.init)
        }
        return Set(names).sorted()
    }

    func target(of link: String) -> String? { links[link] }
}

extension FileTree {
    /// Adds a process with the targets of its open files.
    mutating func add(process number: Int, _ name: String, files: [String] = []) {
        texts["/proc/\(number)/comm"] = name + "\n"
        for (place, file) in files.enumerated() { links["/proc/\(number)/fd/\(place)"] = file }
    }

    /// Sets the list of HCI sockets.
    mutating func setSockets(_ numbers: [Int]) {
        let headline = "sk               RefCnt Rmem   Wmem   User   Inode  Parent\n"
        let lines = numbers.map { "0000000000000000 2      0      0      0      \($0)  0     \n" }
        texts["/proc/net/hci"] = headline + lines.joined()
    }

    /// Gives an adapter a radio switch.
    mutating func addSwitch(of index: UInt16, soft: Bool, hard: Bool) {
        texts["/sys/class/bluetooth/hci\(index)/rfkill2/soft"] = soft ? "1\n" : "0\n"
        texts["/sys/class/bluetooth/hci\(index)/rfkill2/hard"] = hard ? "1\n" : "0\n"
    }
}
