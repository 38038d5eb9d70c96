mod edit;
mod editor;
mod notebook;
mod read;
mod search;
mod specs;
mod world;
mod write;
