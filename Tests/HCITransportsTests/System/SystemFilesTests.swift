// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("The system's files")
struct SystemFilesTests {
    private let files = LinuxFiles()

    @Test("Files are read and listed in order, and a missing one is nil") func reads() throws {
        let folder = temporaryPath("folder")
        try #require(mkdir(folder, 0o700) == 0)
        defer { rmdir(folder) }
        for name in ["b", "a"] {
            let number = open("\(folder)/\(name)", O_WRONLY | O_CREAT, 0o600)
            let text = "hci\n"
            _ = text.utf8.withContiguousStorageIfAvailable {
                write(number, $0.baseAddress, $0.count)
            }
            close(number)
        }
        symlink("socket:[12]", "\(folder)/c")
        defer { for name in ["a", "b", "c"] { unlink("\(folder)/\(name)") } }
        #expect(files.names(in: folder) == ["a", "b", "c"])
        #expect(files.text(of: "\(folder)/a") == "hci\n")
        #expect(files.target(of: "\(folder)/c") == "socket:[12]")
        #expect(files.target(of: "\(folder)/a") == nil)
        #expect(files.text(of: "\(folder)/d") == nil && files.names(in: "\(folder)/d").isEmpty)
    }

    @Test("An endless file is read up to a limit") func endless() {
        let text = files.text(of: "/dev/zero")
        #expect((text?.utf8.count ?? 0) >= LinuxFiles.lengthLimit)
        #expect((text?.utf8.count ?? 0) <= 2 * LinuxFiles.lengthLimit)
    }

    @Test("The processes are listed, including this one") func processes() throws {
        #if os(Linux)
            let name = try #require(files.text(of: "/proc/\(getpid())/comm"))
            #expect(files.names(in: "/proc").contains("\(getpid())"))
            #expect(!name.isEmpty)
            #expect(files.target(of: "/proc/self/exe")?.isEmpty == false)
        #endif
    }
}

@Suite("The users of adapters")
struct AdapterHoldersTests {
    @Test("Processes with an HCI socket are listed, either as programs or as daemons")
    func programs() {
        var files = FileTree()
        files.add(process: 3, "three", files: ["socket:[30]", "socket:[31]"])
        files.add(process: 4, "bluetoothd", files: ["socket:[40]"])
        files.add(process: 5, "five", files: ["socket:[50]"])
        files.add(process: 6, "six")
        files.setSockets([31, 40, 60])
        let holders = AdapterHolders(files)
        #expect(holders.programs == [SystemProcess(number: 3, name: "three")])
        #expect(holders.daemons == [SystemProcess(number: 4, name: "bluetoothd")])
    }

    @Test(
        "Without a valid list of sockets, there are no users",
        arguments: [nil, "", "x\ny\n1 2 3"]
    )
    func noList(text: String?) {
        var files = FileTree()
        files.add(process: 3, "three", files: ["socket:[3]"])
        files.texts["/proc/net/hci"] = text
        #expect(AdapterHolders(files).programs.isEmpty)
    }

    @Test("Users are described in words") func words() {
        let (one, two) = (SystemProcess(number: 1, name: "a"), SystemProcess(number: 2, name: "b"))
        #expect(AdapterHolder.processes([]).description == "another program")
        #expect(
            AdapterHolder.processes([one, two]).description == "a (process 1) or b (process 2)"
        )
        #expect(AdapterHolder.kernel(connections: 0, for: []).description == "the kernel")
        let kernel = AdapterHolder.kernel(connections: 1, for: [one])
        #expect(kernel.description == "a (process 1) with 1 connection")
    }
}

@Suite("Radio switches")
struct RadioSwitchesTests {
    @Test("A radio is off by software or by hardware", arguments: [true, false], [true, false])
    func off(soft: Bool, hard: Bool) throws {
        var files = FileTree()
        files.addSwitch(of: 3, soft: soft, hard: hard)
        let radio = try #require(RadioSwitches(files).radioSwitch(ofAdapter: 3))
        #expect(radio == RadioSwitch(isSoftBlocked: soft, isHardBlocked: hard))
        #expect(radio.isOff == (soft || hard))
        #expect(RadioSwitches(files).radioSwitch(ofAdapter: 4) == nil)
    }
}
