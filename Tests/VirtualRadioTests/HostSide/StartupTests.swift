// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("A virtual controller at startup") struct StartupTests {
    private static let randomAddress = DeviceAddress(value: 0xC0FF_EE00_0001, kind: .random)

    /// Performs the startup of this package's host, and returns the capabilities.
    private func start(_ host: RawHost) throws -> ControllerCapabilities {
        var startup = ControllerStartup(randomAddress: Self.randomAddress)
        while let command = startup.next() {
            let answer = try host.answer(to: command.h4Packet)
            let result: CommandResult
            switch answer {
            case .commandComplete(let event): result = .complete(event.returnParameters)
            case .commandStatus(let event): result = .status(event.status)
            default: preconditionFailure("not an answer: \(answer)")
            }
            switch startup.finished(result) {
            case .continue: continue
            case .ready(let capabilities): return capabilities
            case .failed(let error): throw error
            }
        }
        throw StartupError.noBuffers
    }

    @Test("A controller completes the startup and reports its capabilities") func new() throws {
        let world = World(seed: 1)
        let host = try RawHost(world)
        let found = try start(host)
        #expect(found.version.hciVersion == .core5_4)
        #expect(found.randomAddress == Self.randomAddress)
        #expect(found.publicAddress != nil)
        #expect((found.aclPacketLength, found.aclPacketCount) == (251, 12))
        #expect(found.features == [.classicNotSupported, .leSupported])
        #expect(found.maximumDataLength?.transmitBytes == 251)
        #expect(found.maximumDataLength?.transmitTime.rawValue == 17_040)
        #expect(found.leFeatures.isSuperset(of: [.le2M, .coded, .extendedAdvertising, .privacy]))
    }

    @Test("An old controller completes the startup and has no features of 5.0") func old() throws {
        var configuration = ControllerConfiguration()
        configuration.isOld = true
        let host = try RawHost(World(seed: 1), configuration)
        let found = try start(host)
        #expect(found.version.hciVersion == .core4_2)
        #expect(found.leFeatures.isDisjoint(with: [.le2M, .coded, .extendedAdvertising]))
        #expect(!found.supportsExtendedAdvertising && !found.supportsExtendedScanning)
        #expect(!found.supportsExtendedInitiating)
        #expect(!found.supports(HCI.LESetPHY.self))
        #expect(found.maximumDataLength?.transmitTime.rawValue == 2_120)
        #expect(found.advertisingSetCount == 1)
    }

    @Test(
        "The controller reports its configured buffers within the limits",
        arguments: [
            (27, 1, 27, 1), (251, 255, 251, 255), (0, 0, 27, 1), (9_999, 9_999, 251, 255),
        ]
    )
    func buffers(length: Int, count: Int, reportedLength: Int, reportedCount: Int) throws {
        var configuration = ControllerConfiguration()
        configuration.dataPacketLength = length
        configuration.dataPacketCount = count
        let found = try start(try RawHost(World(seed: 1), configuration))
        #expect((found.aclPacketLength, found.aclPacketCount) == (reportedLength, reportedCount))
    }
}
