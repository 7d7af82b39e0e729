// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import Synchronization
import Testing

import struct LanyardTestSupport.PowerCutModel
import enum LanyardTestSupport.RunSeed

@testable import HCITransports

/// The system's disk, with a record of each call that succeeded.
private final class RecordingDisk: Disk {
    private let noted = Mutex<[PowerCutModel.Call]>([])

    var calls: [PowerCutModel.Call] { noted.withLock { $0 } }

    private func note(_ call: PowerCutModel.Call) { noted.withLock { $0.append(call) } }

    func makeFolder(_ entry: DirectoryEntry) throws(TransportError) -> Bool {
        guard try SystemDisk().makeFolder(entry) else { return false }
        note(.makeFolder(entry.path))
        return true
    }

    func makeFile(_ entry: DirectoryEntry) throws(TransportError) -> Descriptor {
        let file = try SystemDisk().makeFile(entry)
        note(.makeFile(entry.path))
        return file
    }

    func write(_ bytes: [UInt8], to file: Descriptor, _ path: String) throws(TransportError) {
        try SystemDisk().write(bytes, to: file, path)
        note(.write(path, bytes))
    }

    func synchronize(_ descriptor: Descriptor, _ path: String) throws(TransportError) {
        try SystemDisk().synchronize(descriptor, path)
        note(.synchronize(path))
    }

    func rename(_ entry: DirectoryEntry, to newEntry: DirectoryEntry) throws(TransportError) {
        try SystemDisk().rename(entry, to: newEntry)
        note(.rename(entry.path, to: newEntry.path))
    }

    func remove(_ entry: DirectoryEntry) throws(TransportError) -> Bool {
        guard try SystemDisk().remove(entry) else { return false }
        note(.remove(entry.path))
        return true
    }
}

@Suite("Power cuts under a store")
struct StorePowerCutTests {
    /// A request to a store.
    private enum Request {
        case open
        case save([UInt8], StoreKey)
        case remove(StoreKey)
        case setAside(StoreKey)
    }

    /// A request, and the number of disk calls that had been made at its end.
    private struct Step {
        let request: Request
        let end: Int
    }

    /// The expected content of a store: its values, and those that were set aside, by the names of
    /// their files.
    private struct Contents: Equatable {
        var values: [StoreKey: [UInt8]] = [:]
        var setAside: [String: [UInt8]] = [:]

        mutating func perform(_ request: Request) {
            switch request {
            case .open: break
            case .save(let bytes, let key): values[key] = bytes
            case .remove(let key): values[key] = nil
            case .setAside(let key):
                let count = setAside.keys.count { $0.hasPrefix("\(key).") }
                setAside["\(key).\(count + 1)"] = values[key]
                values[key] = nil
            }
        }
    }

    private static let stepCount = 10

    @Test(
        "After a power cut, each key has its last value or the value being saved",
        arguments: RunSeed.seeds(4)
    )
    func anyMoment(seed: UInt64) throws {
        try inFolder { root in
            let disk = RecordingDisk()
            let steps = try use(disk, "\(root)/used", seed)
            let calls = disk.calls
            var model = PowerCutModel(of: "\(root)/used")
            var seen: Set<PowerCutModel.RemainingFiles> = []
            for cut in 0...calls.count {
                if cut > 0 { model.make(calls[cut - 1]) }
                var done = Contents()
                for step in steps where step.end <= cut { done.perform(step.request) }
                var next = done
                if let step = steps.first(where: { $0.end > cut }) { next.perform(step.request) }
                for remains in model.remains {
                    seen.insert(remains)
                    let found = try contents(of: remains, "\(root)/left-\(UUID().uuidString)")
                    let after = calls.prefix(cut).suffix(4)
                    #expect([done, next].contains(found), "after \(after): \(remains)")
                    guard [done, next].contains(found) else { return }
                }
            }
            #expect(seen.count > Self.stepCount, "a cut can leave more than one content")
        }
    }

    /// Performs random requests on a store in a folder that does not exist yet.
    private func use(_ disk: RecordingDisk, _ root: String, _ seed: UInt64) throws -> [Step] {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        var random = SplitMix64(seed: seed)
        let store = try FileStore(directory: "\(root)/a/b", makingParents: true, on: disk)
        var steps = [Step(request: .open, end: disk.calls.count)]
        var keys: Set<StoreKey> = []
        for _ in 0..<Self.stepCount {
            let key = try #require(StoreKey(random.happens(oneIn: 2) ? "one" : "two"))
            let request: Request
            if keys.contains(key), random.happens(oneIn: 2) {
                request = random.happens(oneIn: 2) ? .remove(key) : .setAside(key)
                keys.remove(key)
            } else {
                request = .save([1] + random.bytes(upTo: 40) + [1], key)
                keys.insert(key)
            }
            switch request {
            case .open: break
            case .save(let bytes, let key): try store.save(bytes, as: key)
            case .remove(let key): try store.remove(key)
            case .setAside(let key): try store.setAside(key, because: "of a test")
            }
            steps.append(Step(request: request, end: disk.calls.count))
        }
        return steps
    }

    /// Returns the content that the next store finds.
    private func contents(of remains: PowerCutModel.RemainingFiles, _ folder: String) throws
        -> Contents
    {
        try PowerCutModel.lay(out: remains, in: folder)
        let store = try FileStore(directory: "\(folder)/a/b", makingParents: true)
        var found = Contents()
        for key in try store.keys() { found.values[key] = try store.load(key) }
        let place = "\(folder)/a/b/set_aside"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        for name in names where name != "reasons" {
            found.setAside[name] = FileManager.default.contents(atPath: "\(place)/\(name)")
                .map(Array.init)
        }
        return found
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "lanyard-power-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }
}
