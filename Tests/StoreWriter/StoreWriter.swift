// SPDX-License-Identifier: Apache-2.0

// A host that only stores bonds, and that a test kills at any moment. With `bonds`, the host prints
// a line before and after each change of a bond, and after each sign counter.

import BluetoothHost
import BluetoothSMP
import BluetoothTypes
import HCITransports
import StoreTestSupport

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@main
struct StoreWriter {
    let store: FileStore
    var core: HostCore
    var actions: [HostAction] = []

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let number = Int(arguments[3]) else { exit(64) }
        var writer = try StoreWriter(arguments[2])
        say("ready")
        switch arguments[1] {
        case "bonds": writer.keepBonds(from: number)
        case "fill": writer.fill(limit: number)
        default: exit(64)
        }
    }

    init(_ directory: String) throws {
        store = try openLeftStore(directory)
        var configuration = HostConfiguration()
        configuration.store = store
        core = HostCore(configuration: configuration, ownAddress: SampleBonds.identity)
        core.storeOpened(try store.readBonds(), now: .zero)
        perform()
    }

    /// Makes, replaces and removes bonds until the test kills the process.
    mutating func keepBonds(from first: Int) {
        for generation in first... {
            let number = (generation &* 7) % 8
            if number >= 4, generation.isMultiple(of: 5) {
                Self.say("dropping \(number) 0")
                core.dropBond(of: SampleBonds.peer(number), now: .zero)
                perform()
                Self.say("dropped \(number) 0")
                continue
            }
            Self.say("keeping \(number) \(generation)")
            core.keepBond(SampleBonds.bond(number, generation: generation), now: .zero)
            perform()
            Self.say("kept \(number) \(generation)")
            guard number < 4 else { continue }
            for _ in 0..<100 { sign(number) }
        }
    }

    private mutating func sign(_ number: Int) {
        guard let counter = core.takeSignCounter(for: SampleBonds.peer(number)) else { return }
        perform()
        Self.say("signed \(number) \(counter)")
    }

    /// Replaces bonds while the length of files is limited to this number of bytes.
    mutating func fill(limit: Int) {
        signal(SIGXFSZ, SIG_IGN)
        var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
        #if canImport(Glibc)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0 else {
                exit(71)
            }
        #else
            guard setrlimit(RLIMIT_FSIZE, &limits) == 0 else { exit(71) }
        #endif
        for number in 0..<4 {
            core.keepBond(SampleBonds.bond(number, generation: 2), now: .zero)
            perform()
        }
    }

    private mutating func perform() {
        while !core.isDrained {
            core.takeActions(into: &actions)
            for action in actions { perform(action) }
            actions.removeAll()
        }
    }

    private mutating func perform(_ action: HostAction) {
        switch action {
        case .save(let bytes, let key):
            do {
                try store.save(bytes, as: key)
                core.saved(key, now: .zero)
            } catch {
                core.saveFailed(key, StoreFault(error), now: .zero)
            }
        case .remove(let key): try? store.remove(key)
        case .setAside(let key, let reason):
            try? store.setAside(key, because: reason)
            core.wasSetAside(key, because: reason)
        case .event(.security(.storeFailed(let text))): Self.say("failed \(text)")
        default: break
        }
    }

    /// Writes at once, because a buffer would be lost with the process.
    private static func say(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }
}
