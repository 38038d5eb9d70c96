//! Arguments of the commands about remotes and jobs (FL-1 to FL-5).

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct RemoteArgs {
    #[command(subcommand)]
    pub command: Option<RemoteCommand>,
}

#[derive(Debug, Subcommand)]
pub enum RemoteCommand {
    /// List remotes (the default)
    List {
        /// Print JSON, one object per line
        #[arg(long)]
        json: bool,
    },
    /// Found a group on a NATS server with JetStream; you are its owner
    Add(RemoteAdd),
    /// Print a code with which one person or machine can join, for ten minutes
    Invite {
        /// Name of the remote
        name: String,
        /// What the new member may do
        #[arg(long, value_enum)]
        role: InviteRole,
        /// Admit SSH keys instead: an allowed_signers file, as ssh-keygen and git use it
        #[arg(long, value_name = "FILE")]
        signers: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Join a group with a code of `remote invite`
    Join(RemoteJoin),
    /// Change the credentials, the certificate or the servers of a remote on this machine
    Login(RemoteLogin),
    /// List the members
    Members {
        /// Name of the remote
        name: String,
        /// Print JSON, one object per line
        #[arg(long)]
        json: bool,
    },
    /// Lock a member out and change the group's key
    Revoke {
        /// Name of the remote
        name: String,
        /// Id of the member, or its label, as `remote members` shows it
        member: String,
    },
    /// Change the group's key, or with --own the keys of this machine
    Rotate {
        /// Name of the remote
        name: String,
        /// Replace the keys of this machine instead
        #[arg(long)]
        own: bool,
    },
    /// Forget a remote and its keys on this machine
    Remove {
        /// Name of the remote
        name: String,
    },
}

impl Default for RemoteCommand {
    fn default() -> Self {
        RemoteCommand::List { json: false }
    }
}

#[derive(Debug, Args)]
pub struct RemoteAdd {
    /// Name for this remote
    pub name: String,
    /// Servers of one cluster: nats://a:4222,nats://b:4222. TLS is required unless they are on this machine
    pub servers: String,
    #[command(flatten)]
    pub access: AccessArgs,
    /// Your name for other members; user@host by default
    #[arg(long)]
    pub label: Option<String>,
}

#[derive(Debug, Args)]
pub struct AccessArgs {
    /// File with NATS credentials
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    pub creds: Option<PathBuf>,
    /// Copy the credentials to the keyring, or to a private file where there is none that survives a reboot
    #[arg(long, requires = "creds")]
    pub keyring: bool,
    /// User at the server; the password is read from the terminal or standard input and goes to the keyring
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Certificate of the servers' authority, if the system does not know it
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RemoteLogin {
    /// Name of the remote
    pub name: String,
    /// Other servers of the same cluster
    #[arg(long, value_name = "LIST")]
    pub servers: Option<String>,
    #[command(flatten)]
    pub access: AccessArgs,
}

#[derive(Debug, Args)]
pub struct RemoteJoin {
    /// The code, or the address of a group that admits your SSH key
    pub code: String,
    /// The SSH key that the owner allows; a public key is enough if an agent has the private one
    #[arg(long, value_name = "FILE")]
    pub ssh_key: Option<PathBuf>,
    /// Another name for the remote on this machine
    #[arg(long)]
    pub name: Option<String>,
    /// Your name for other members; user@host by default
    #[arg(long)]
    pub label: Option<String>,
    #[command(flatten)]
    pub access: AccessArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InviteRole {
    /// Answers reviews and submits jobs
    Approve,
    /// Comments and asks for changes
    Comment,
    /// Takes jobs
    Worker,
    /// Invites and locks out, the first owner too; everything else as well
    Owner,
}

#[derive(Debug, Args)]
pub struct SubmitArgs {
    #[command(subcommand)]
    pub what: SubmitCommand,
}

#[derive(Debug, Subcommand)]
pub enum SubmitCommand {
    /// Have a worker plan a task; the result waits for a reviewer
    #[command(name = "plan")]
    Planning {
        /// The task
        task: String,
        /// Queue the implementation after the approval
        #[arg(long, value_enum)]
        then: Option<SubmitThen>,
        /// Different approvers that the result needs; the setting plan.quorum by default
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        quorum: Option<u32>,
        /// Push the implementation to this branch, if the worker's setting fleet.push allows it
        #[arg(long, value_name = "BRANCH", requires = "then")]
        push: Option<String>,
        #[command(flatten)]
        target: SubmitTarget,
    },
    /// Have a worker rehearse a plan; giving its hash approves exactly that text
    Rehearse {
        #[command(flatten)]
        text: SubmitText,
        #[command(flatten)]
        target: SubmitTarget,
    },
    /// Have a worker implement a plan; giving its hash approves exactly that text
    Implement {
        #[command(flatten)]
        text: SubmitText,
        /// Push the result to this branch, if the worker's setting fleet.push allows it
        #[arg(long, value_name = "BRANCH")]
        push: Option<String>,
        #[command(flatten)]
        target: SubmitTarget,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SubmitThen {
    Implement,
}

#[derive(Debug, Args)]
pub struct SubmitText {
    /// Name of a plan, or a file with a plan
    #[arg(value_name = "PLAN")]
    pub what: String,
    /// SHA-256 of the text that you approve
    #[arg(long, value_name = "HASH")]
    pub sha256: String,
}

#[derive(Debug, Args)]
pub struct SubmitTarget {
    /// Name of the remote; the setting `remote`, or the only remote, by default
    #[arg(long, value_name = "NAME")]
    pub remote: Option<String>,
    /// Repository: an address for git, a bundle file, or a local folder, which is sent as a bundle
    #[arg(long, value_name = "URL|BUNDLE")]
    pub repo: String,
    /// Model for the job
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Stop when the job has cost this much, in US dollars
    #[arg(long, value_name = "USD", value_parser = super::args::parse_budget)]
    pub max_budget_usd: Option<f64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// Name of the remote; the setting `remote`, or the only remote, by default
    #[arg(long, value_name = "NAME")]
    pub remote: Option<String>,
    /// Jobs to run at once; the setting fleet.jobs by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub jobs: Option<u32>,
    /// End when the queue is empty
    #[arg(long)]
    pub exit_when_idle: bool,
    /// Settings as a file or JSON text; they override user settings
    #[arg(long, value_name = "FILE|JSON")]
    pub settings: Option<String>,
}

#[derive(Debug, Args)]
pub struct JobsArgs {
    #[command(subcommand)]
    pub command: Option<JobsCommand>,
    /// Name of the remote; the setting `remote`, or the only remote, by default
    #[arg(long, value_name = "NAME", global = true)]
    pub remote: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Only the dead-letter list: jobs that failed too often
    #[arg(long)]
    pub dead: bool,
}

#[derive(Debug, Subcommand)]
pub enum JobsCommand {
    /// Show one job with its result and events
    Show {
        /// Job id, or its beginning
        id: String,
    },
    /// Cancel a job
    Cancel {
        /// Job id, or its beginning
        id: String,
    },
    /// Queue a failed, cancelled or rejected job again
    Retry {
        /// Job id, or its beginning
        id: String,
    },
    /// Write the result of a job: patch, text and report
    Fetch {
        /// Job id, or its beginning
        id: String,
        /// Folder to write to
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// What to review: its id, or the beginning; without it, lists what waits
    pub id: Option<String>,
    /// Name of the remote; the setting `remote`, or the only remote, by default
    #[arg(long, value_name = "NAME")]
    pub remote: Option<String>,
    /// Approve
    #[arg(long, conflicts_with = "changes")]
    pub approve: bool,
    /// Ask for changes, with this feedback
    #[arg(long, value_name = "TEXT")]
    pub changes: Option<String>,
    /// Refuse a text whose SHA-256 differs from this one
    #[arg(long, value_name = "HASH")]
    pub sha256: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
